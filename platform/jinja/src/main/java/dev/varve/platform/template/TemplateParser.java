package dev.varve.platform.template;

import dev.varve.platform.template.Stmt.MacroBody;
import dev.varve.platform.template.Stmt.Target;
import dev.varve.platform.template.TemplateToken.Kind;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Parses the statements of a template. */
final class TemplateParser {
    private static final Set<String> CONSTANTS =
            Set.of("true", "false", "none", "True", "False", "None");

    private final TemplateTokenStream tokens;
    private final ExpressionParser expressions;
    private int loops;

    private TemplateParser(TemplateTokenStream tokens) {
        this.tokens = tokens;
        this.expressions = new ExpressionParser(tokens);
    }

    static List<Stmt> parse(String source) {
        TemplateParser parser =
                new TemplateParser(new TemplateTokenStream(TemplateLexer.tokens(source)));
        return parser.body(Set.of());
    }

    /** Parses up to a tag with one of these names, whose {@code '{%'} has then been read. */
    private List<Stmt> body(Set<String> ends) {
        expressions.enter();
        List<Stmt> statements = new ArrayList<>();
        while (true) {
            TemplateToken token = tokens.next();
            switch (token.kind()) {
                case DATA -> statements.add(new Stmt.Text(TemplateString.trusted(token.text())));
                case VARIABLE_BEGIN -> statements.add(output(token));
                case BLOCK_BEGIN -> {
                    TemplateToken tag = tokens.current();
                    if (tag.is(Kind.NAME) && ends.contains(tag.text())) {
                        expressions.leave();
                        return statements;
                    }
                    statements.add(statement(tokens.expect(Kind.NAME, "the name of a tag")));
                }
                case END -> {
                    if (!ends.isEmpty()) {
                        throw tokens.unexpected(
                                "a tag " + String.join(" or ", ends.stream().sorted().toList()));
                    }
                    expressions.leave();
                    return statements;
                }
                default -> throw new AssertionError("token outside a tag: " + token.kind());
            }
        }
    }

    private List<Stmt> bodyClosedBy(String end) {
        tokens.expect(Kind.BLOCK_END, "'%}'");
        List<Stmt> statements = body(Set.of(end));
        tokens.expectName(end);
        tokens.expect(Kind.BLOCK_END, "'%}'");
        return statements;
    }

    private Stmt output(TemplateToken begin) {
        Expr value = expressions.tuple(true);
        tokens.expect(Kind.VARIABLE_END, "'}}'");
        return new Stmt.Output(value, begin.line());
    }

    private Stmt statement(TemplateToken tag) {
        int line = tag.line();
        return switch (tag.text()) {
            case "if" -> ifStatement(line);
            case "for" -> forStatement(line);
            case "set" -> set(line);
            case "macro" -> macro(line);
            case "call" -> callBlock(line);
            case "filter" -> filterBlock(line);
            case "with" -> with(line);
            case "generation" -> new Stmt.With(List.of(), bodyClosedBy("endgeneration"), line);
            case "do" -> ended(new Stmt.Do(expressions.tuple(true), line));
            case "print" -> print(line);
            case "break" -> loopControl(new Stmt.Break(), tag);
            case "continue" -> loopControl(new Stmt.Continue(), tag);
            default ->
                    throw TemplateException.at(
                            line, "unknown or unsupported tag '" + tag.text() + "'");
        };
    }

    /** Parses an output tag; values separated by commas are printed one after the other. */
    private Stmt print(int line) {
        List<Expr> values = new ArrayList<>(List.of(expressions.expression()));
        while (tokens.skipOperator(",")) {
            values.add(expressions.expression());
        }
        return ended(
                new Stmt.Output(
                        values.size() == 1 ? values.getFirst() : new Expr.Concat(values, line),
                        line));
    }

    private Stmt ended(Stmt statement) {
        tokens.expect(Kind.BLOCK_END, "'%}'");
        return statement;
    }

    private Stmt loopControl(Stmt statement, TemplateToken tag) {
        if (loops == 0) {
            throw TemplateException.at(tag.line(), "'" + tag.text() + "' outside a loop");
        }
        return ended(statement);
    }

    private Stmt ifStatement(int line) {
        List<Stmt.Branch> branches = new ArrayList<>();
        List<Stmt> otherwise = List.of();
        branches.add(branch(line));
        while (true) {
            TemplateToken tag = tokens.next();
            switch (tag.text()) {
                case "elif" -> branches.add(branch(tag.line()));
                case "else" -> otherwise = bodyOf("endif");
                default -> {
                    return ended(new Stmt.If(branches, otherwise));
                }
            }
        }
    }

    private Stmt.Branch branch(int line) {
        Expr test = expressions.tuple(false);
        tokens.expect(Kind.BLOCK_END, "'%}'");
        return new Stmt.Branch(test, body(Set.of("elif", "else", "endif")), line);
    }

    /** Parses the rest of an {@code else} tag and its body, up to the open end tag. */
    private List<Stmt> bodyOf(String end) {
        tokens.expect(Kind.BLOCK_END, "'%}'");
        return body(Set.of(end));
    }

    private Stmt forStatement(int line) {
        Target target = target(false);
        tokens.expectName("in");
        Expr items = expressions.tuple(false);
        Optional<Expr> filter =
                tokens.skipName("if") ? Optional.of(expressions.expression()) : Optional.empty();
        boolean recursive = tokens.skipName("recursive");
        tokens.expect(Kind.BLOCK_END, "'%}'");
        loops++;
        List<Stmt> body = body(Set.of("else", "endfor"));
        loops--;
        List<Stmt> otherwise = tokens.next().text().equals("else") ? elseOfFor() : List.of();
        return ended(
                new Stmt.For(
                        new Stmt.Iteration(target, items, filter),
                        recursive,
                        body,
                        otherwise,
                        line));
    }

    private List<Stmt> elseOfFor() {
        List<Stmt> otherwise = bodyOf("endfor");
        tokens.expectName("endfor");
        return otherwise;
    }

    private Stmt set(int line) {
        Target target = target(true);
        if (tokens.skipOperator("=")) {
            return ended(new Stmt.Assign(target, expressions.tuple(true), line));
        }
        List<Expr.Step> filters = new ArrayList<>();
        while (tokens.current().isOperator("|")) {
            filters.add(expressions.filterStep());
        }
        return new Stmt.AssignBlock(target, filters, outsideLoops("endset"), line);
    }

    /**
     * Parses the body of a tag that runs outside the enclosing loop: {@code break} cannot leave it.
     */
    private List<Stmt> outsideLoops(String end) {
        int outer = loops;
        loops = 0;
        List<Stmt> body = bodyClosedBy(end);
        loops = outer;
        return body;
    }

    private Target target(boolean attributes) {
        Target first = singleTarget(attributes);
        if (!tokens.current().isOperator(",")) {
            return first;
        }
        List<Target> targets = new ArrayList<>(List.of(first));
        while (tokens.skipOperator(",") && !atTargetEnd()) {
            targets.add(singleTarget(attributes));
        }
        return new Target.Several(targets);
    }

    private boolean atTargetEnd() {
        TemplateToken token = tokens.current();
        return token.isName("in")
                || token.isOperator("=")
                || token.isOperator(")")
                || token.is(Kind.BLOCK_END);
    }

    private Target singleTarget(boolean attributes) {
        if (tokens.skipOperator("(")) {
            expressions.enter();
            Target inner = target(attributes);
            expressions.leave();
            tokens.expectOperator(")");
            return inner;
        }
        TemplateToken name = tokens.expect(Kind.NAME, "a name to assign to");
        if (CONSTANTS.contains(name.text())) {
            throw TemplateException.at(name.line(), "cannot assign to '" + name.text() + "'");
        }
        if (attributes && tokens.skipOperator(".")) {
            String attribute = tokens.expect(Kind.NAME, "the name of an attribute").text();
            return new Target.NamespaceAttribute(name.text(), attribute);
        }
        return new Target.Variable(name.text());
    }

    private Stmt macro(int line) {
        String name = tokens.expect(Kind.NAME, "the name of a macro").text();
        return new Stmt.Macro(name, macroBody("endmacro", parameters()), line);
    }

    private List<Stmt.Parameter> parameters() {
        tokens.expectOperator("(");
        List<Stmt.Parameter> parameters = new ArrayList<>();
        while (!tokens.current().isOperator(")")) {
            if (!parameters.isEmpty()) {
                tokens.expectOperator(",");
            }
            if (!tokens.current().isOperator(")")) {
                parameters.add(parameter(parameters));
            }
        }
        tokens.expectOperator(")");
        return parameters;
    }

    private Stmt.Parameter parameter(List<Stmt.Parameter> before) {
        TemplateToken name = tokens.expect(Kind.NAME, "the name of a parameter");
        Optional<Expr> fallback =
                tokens.skipOperator("=") ? Optional.of(expressions.expression()) : Optional.empty();
        boolean repeated =
                before.stream().anyMatch(parameter -> parameter.name().equals(name.text()));
        boolean gap =
                fallback.isEmpty() && !before.isEmpty() && before.getLast().fallback().isPresent();
        if (repeated || gap || CONSTANTS.contains(name.text())) {
            throw TemplateException.at(name.line(), "parameter '" + name.text() + "' is misplaced");
        }
        return new Stmt.Parameter(name.text(), fallback);
    }

    private MacroBody macroBody(String end, List<Stmt.Parameter> parameters) {
        Set<String> outer = expressions.specialNames();
        expressions.specialNames(new HashSet<>());
        List<Stmt> statements = outsideLoops(end);
        Set<String> used = expressions.specialNames();
        outer.addAll(used);
        expressions.specialNames(outer);
        return new MacroBody(
                parameters,
                statements,
                used.contains("caller"),
                used.contains("varargs"),
                used.contains("kwargs"));
    }

    private Stmt callBlock(int line) {
        List<Stmt.Parameter> parameters =
                tokens.current().isOperator("(") ? parameters() : List.of();
        Expr called = expressions.expression();
        if (!(called instanceof Expr.Call call)) {
            throw TemplateException.at(line, "a call block must call a macro");
        }
        return new Stmt.CallBlock(call, macroBody("endcall", parameters), line);
    }

    private Stmt filterBlock(int line) {
        List<Expr.Step> filters = new ArrayList<>(List.of(expressions.bareFilterStep()));
        while (tokens.current().isOperator("|")) {
            filters.add(expressions.filterStep());
        }
        return new Stmt.FilterBlock(filters, outsideLoops("endfilter"), line);
    }

    private Stmt with(int line) {
        List<Expr.Named> variables = new ArrayList<>();
        while (!tokens.current().is(Kind.BLOCK_END)) {
            if (!variables.isEmpty()) {
                tokens.expectOperator(",");
            }
            String name = tokens.expect(Kind.NAME, "a name to assign to").text();
            tokens.expectOperator("=");
            variables.add(new Expr.Named(name, expressions.expression()));
        }
        return new Stmt.With(variables, bodyClosedBy("endwith"), line);
    }
}
