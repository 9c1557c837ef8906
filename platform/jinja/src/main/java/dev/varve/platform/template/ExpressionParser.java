package dev.varve.platform.template;

import dev.varve.platform.template.Expr.Arithmetic;
import dev.varve.platform.template.Expr.CallArguments;
import dev.varve.platform.template.Expr.Relation;
import dev.varve.platform.template.TemplateToken.Kind;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Parses expressions, by recursive descent from the loosest operator to the tightest. */
final class ExpressionParser {
    /**
     * Nesting of parentheses, unary operators and tags; each level takes about fifteen Java frames.
     */
    static final int MAX_NESTING = 150;

    private static final Map<String, Relation> RELATIONS =
            Map.of(
                    "==", Relation.EQUAL,
                    "!=", Relation.NOT_EQUAL,
                    "<", Relation.LESS,
                    "<=", Relation.LESS_OR_EQUAL,
                    ">", Relation.GREATER,
                    ">=", Relation.GREATER_OR_EQUAL);
    private static final Map<String, Arithmetic> SUMS =
            Map.of("+", Arithmetic.ADD, "-", Arithmetic.SUBTRACT);
    private static final Map<String, Arithmetic> PRODUCTS =
            Map.of(
                    "*", Arithmetic.MULTIPLY,
                    "/", Arithmetic.DIVIDE,
                    "//", Arithmetic.FLOOR_DIVIDE,
                    "%", Arithmetic.REMAINDER);

    private final TemplateTokenStream tokens;

    /** Which of caller, varargs and kwargs were used since the set was last cleared. */
    private Set<String> specialNames = new HashSet<>();

    private int nesting;

    ExpressionParser(TemplateTokenStream tokens) {
        this.tokens = tokens;
    }

    Set<String> specialNames() {
        return specialNames;
    }

    void specialNames(Set<String> names) {
        specialNames = names;
    }

    void enter() {
        if (++nesting > MAX_NESTING) {
            throw TemplateException.at(
                    tokens.current().line(), "nested deeper than " + MAX_NESTING + " levels");
        }
    }

    void leave() {
        nesting--;
    }

    /** Parses an expression or, if commas follow, a tuple without parentheses. */
    Expr tuple(boolean conditional) {
        Expr first = expression(conditional);
        if (!tokens.current().isOperator(",")) {
            return first;
        }
        List<Expr> items = new ArrayList<>(List.of(first));
        while (tokens.skipOperator(",") && !atTupleEnd()) {
            items.add(expression(conditional));
        }
        return new Expr.TupleOf(items);
    }

    private boolean atTupleEnd() {
        TemplateToken token = tokens.current();
        return token.is(Kind.VARIABLE_END)
                || token.is(Kind.BLOCK_END)
                || token.isOperator(")")
                || token.isName("recursive");
    }

    Expr expression(boolean conditional) {
        enter();
        Expr expression = or();
        // a if b if c: the left part is the value of the next test, so this is a loop.
        while (conditional && tokens.current().isName("if")) {
            int line = tokens.next().line();
            Expr test = or();
            Optional<Expr> otherwise =
                    tokens.skipName("else") ? Optional.of(expression(true)) : Optional.empty();
            expression = new Expr.Conditional(test, expression, otherwise, line);
        }
        leave();
        return expression;
    }

    Expr expression() {
        return expression(true);
    }

    private Expr or() {
        List<Expr> operands = new ArrayList<>(List.of(and()));
        while (tokens.skipName("or")) {
            operands.add(and());
        }
        return operands.size() == 1 ? operands.getFirst() : new Expr.Logical(false, operands);
    }

    private Expr and() {
        List<Expr> operands = new ArrayList<>(List.of(not()));
        while (tokens.skipName("and")) {
            operands.add(not());
        }
        return operands.size() == 1 ? operands.getFirst() : new Expr.Logical(true, operands);
    }

    private Expr not() {
        if (!tokens.skipName("not")) {
            return compare();
        }
        enter();
        Expr operand = not();
        leave();
        return new Expr.Not(operand);
    }

    private Expr compare() {
        Expr first = sum();
        List<Expr.Comparison> rest = new ArrayList<>();
        for (Optional<Relation> relation = relation();
                relation.isPresent();
                relation = relation()) {
            int line = tokens.current().line();
            rest.add(new Expr.Comparison(relation.get(), sum(), line));
        }
        return rest.isEmpty() ? first : new Expr.Compare(first, rest);
    }

    private Optional<Relation> relation() {
        TemplateToken token = tokens.current();
        if (token.is(Kind.OPERATOR) && RELATIONS.containsKey(token.text())) {
            return Optional.of(RELATIONS.get(tokens.next().text()));
        }
        if (tokens.skipName("in")) {
            return Optional.of(Relation.IN);
        }
        if (token.isName("not") && tokens.lookAhead().isName("in")) {
            tokens.next();
            tokens.next();
            return Optional.of(Relation.NOT_IN);
        }
        return Optional.empty();
    }

    private Expr sum() {
        Expr left = concat();
        while (tokens.current().is(Kind.OPERATOR) && SUMS.containsKey(tokens.current().text())) {
            TemplateToken operator = tokens.next();
            left = new Expr.Binary(SUMS.get(operator.text()), left, concat(), operator.line());
        }
        return left;
    }

    private Expr concat() {
        int line = tokens.current().line();
        List<Expr> parts = new ArrayList<>(List.of(product()));
        while (tokens.skipOperator("~")) {
            parts.add(product());
        }
        return parts.size() == 1 ? parts.getFirst() : new Expr.Concat(parts, line);
    }

    private Expr product() {
        Expr left = power();
        while (tokens.current().is(Kind.OPERATOR)
                && PRODUCTS.containsKey(tokens.current().text())) {
            TemplateToken operator = tokens.next();
            left = new Expr.Binary(PRODUCTS.get(operator.text()), left, power(), operator.line());
        }
        return left;
    }

    private Expr power() {
        Expr left = unary(true);
        while (tokens.current().isOperator("**")) {
            int line = tokens.next().line();
            left = new Expr.Binary(Arithmetic.POWER, left, unary(true), line);
        }
        return left;
    }

    private Expr unary(boolean filters) {
        TemplateToken token = tokens.current();
        Expr expression;
        if (token.isOperator("-") || token.isOperator("+")) {
            tokens.next();
            enter();
            expression = new Expr.Sign(token.isOperator("-"), unary(false), token.line());
            leave();
        } else {
            expression = primary();
        }
        expression = postfix(expression);
        return filters ? filters(expression) : expression;
    }

    private Expr primary() {
        TemplateToken token = tokens.current();
        return switch (token.kind()) {
            case NAME -> name(tokens.next());
            case STRING -> strings();
            case INTEGER -> new Expr.Literal(integer(tokens.next()));
            case FLOAT ->
                    new Expr.Literal(new Value.Real(Double.parseDouble(tokens.next().text())));
            case OPERATOR ->
                    switch (token.text()) {
                        case "(" -> parenthesized();
                        case "[" -> list();
                        case "{" -> dict();
                        default -> throw tokens.unexpected("an expression");
                    };
            default -> throw tokens.unexpected("an expression");
        };
    }

    private Expr name(TemplateToken token) {
        return switch (token.text()) {
            case "true", "True" -> new Expr.Literal(Value.TRUE);
            case "false", "False" -> new Expr.Literal(Value.FALSE);
            case "none", "None" -> new Expr.Literal(Value.NONE);
            case "caller", "varargs", "kwargs" -> {
                specialNames.add(token.text());
                yield new Expr.Name(token.text(), token.line());
            }
            default -> new Expr.Name(token.text(), token.line());
        };
    }

    private static Value integer(TemplateToken token) {
        if (token.text().length() > PythonArithmetic.MAX_DIGITS) {
            throw TemplateException.at(
                    token.line(),
                    "a number has more than " + PythonArithmetic.MAX_DIGITS + " digits");
        }
        return new Value.Int(new BigInteger(token.text()));
    }

    private Expr strings() {
        StringBuilder text = new StringBuilder();
        while (tokens.current().is(Kind.STRING)) {
            text.append(tokens.next().text());
        }
        return new Expr.Literal(TemplateString.trusted(text.toString()));
    }

    private Expr parenthesized() {
        tokens.expectOperator("(");
        if (tokens.skipOperator(")")) {
            return new Expr.TupleOf(List.of());
        }
        Expr inner = tuple(true);
        tokens.expectOperator(")");
        return inner;
    }

    private Expr list() {
        tokens.expectOperator("[");
        List<Expr> items = new ArrayList<>();
        while (!tokens.current().isOperator("]")) {
            if (!items.isEmpty()) {
                tokens.expectOperator(",");
            }
            if (!tokens.current().isOperator("]")) {
                items.add(expression());
            }
        }
        tokens.expectOperator("]");
        return new Expr.ListOf(items);
    }

    private Expr dict() {
        int line = tokens.current().line();
        tokens.expectOperator("{");
        List<Expr.Pair> pairs = new ArrayList<>();
        while (!tokens.current().isOperator("}")) {
            if (!pairs.isEmpty()) {
                tokens.expectOperator(",");
            }
            if (!tokens.current().isOperator("}")) {
                Expr key = expression();
                tokens.expectOperator(":");
                pairs.add(new Expr.Pair(key, expression()));
            }
        }
        tokens.expectOperator("}");
        return new Expr.DictOf(pairs, line);
    }

    Expr postfix(Expr start) {
        Expr expression = start;
        while (true) {
            TemplateToken token = tokens.current();
            if (token.isOperator(".")) {
                expression = dotted(expression);
            } else if (token.isOperator("[")) {
                expression = subscript(expression);
            } else if (token.isOperator("(")) {
                expression = new Expr.Call(expression, callArguments(), token.line());
            } else {
                return expression;
            }
        }
    }

    private Expr dotted(Expr target) {
        tokens.next();
        TemplateToken name = tokens.next();
        return switch (name.kind()) {
            case NAME -> new Expr.Attribute(target, name.text(), name.line());
            case INTEGER -> new Expr.Item(target, new Expr.Literal(integer(name)), name.line());
            default ->
                    throw TemplateException.at(name.line(), "expected a name or number after '.'");
        };
    }

    private Expr subscript(Expr target) {
        int line = tokens.next().line();
        Optional<Expr> start =
                tokens.current().isOperator(":") ? Optional.empty() : Optional.of(expression());
        if (!tokens.skipOperator(":")) {
            Expr index =
                    tokens.current().isOperator(",")
                            ? tupleIndex(start.orElseThrow())
                            : start.orElseThrow();
            tokens.expectOperator("]");
            return new Expr.Item(target, index, line);
        }
        Optional<Expr> stop = sliceBound();
        Optional<Expr> step = tokens.skipOperator(":") ? sliceBound() : Optional.empty();
        tokens.expectOperator("]");
        return new Expr.Slice(target, start, stop, step, line);
    }

    private Expr tupleIndex(Expr first) {
        List<Expr> items = new ArrayList<>(List.of(first));
        while (tokens.skipOperator(",")) {
            items.add(expression());
        }
        return new Expr.TupleOf(items);
    }

    private Optional<Expr> sliceBound() {
        boolean absent = tokens.current().isOperator(":") || tokens.current().isOperator("]");
        return absent ? Optional.empty() : Optional.of(expression());
    }

    Expr filters(Expr start) {
        Expr expression = start;
        while (true) {
            TemplateToken token = tokens.current();
            if (token.isOperator("|")) {
                expression = new Expr.Filtered(expression, filterStep());
            } else if (token.isName("is")) {
                expression = test(expression);
            } else if (token.isOperator("(")) {
                expression = new Expr.Call(expression, callArguments(), token.line());
            } else {
                return expression;
            }
        }
    }

    /** Parses {@code |name(arguments)}. */
    Expr.Step filterStep() {
        tokens.expectOperator("|");
        return bareFilterStep();
    }

    Expr.Step bareFilterStep() {
        int line = tokens.current().line();
        String name = dottedName("the name of a filter");
        boolean called = tokens.current().isOperator("(");
        return new Expr.Step(name, called ? callArguments() : CallArguments.NONE, line);
    }

    private String dottedName(String described) {
        StringBuilder name = new StringBuilder(tokens.expect(Kind.NAME, described).text());
        while (tokens.skipOperator(".")) {
            name.append('.').append(tokens.expect(Kind.NAME, described).text());
        }
        return name.toString();
    }

    private Expr test(Expr input) {
        int line = tokens.next().line();
        boolean negated = tokens.skipName("not");
        String name = dottedName("the name of a test");
        Expr tested = new Expr.Tested(input, new Expr.Step(name, testArguments(), line));
        return negated ? new Expr.Not(tested) : tested;
    }

    /**
     * Parses the arguments of a test, which may be one without parentheses: {@code x is divisibleby
     * 3}.
     */
    private CallArguments testArguments() {
        TemplateToken token = tokens.current();
        boolean argument =
                switch (token.kind()) {
                    case STRING, INTEGER, FLOAT -> true;
                    case NAME -> !Set.of("else", "or", "and").contains(token.text());
                    case OPERATOR -> token.isOperator("[") || token.isOperator("{");
                    default -> false;
                };
        if (token.isOperator("(")) {
            return callArguments();
        }
        if (!argument) {
            return CallArguments.NONE;
        }
        if (token.isName("is")) {
            throw TemplateException.at(token.line(), "tests cannot be chained with 'is'");
        }
        Expr only = postfix(primary());
        return new CallArguments(List.of(only), List.of(), Optional.empty(), Optional.empty());
    }

    CallArguments callArguments() {
        enter();
        tokens.expectOperator("(");
        CallArgumentsBuilder arguments = new CallArgumentsBuilder();
        while (!tokens.current().isOperator(")")) {
            if (!arguments.isEmpty()) {
                tokens.expectOperator(",");
            }
            if (!tokens.current().isOperator(")")) {
                argument(arguments);
            }
        }
        tokens.expectOperator(")");
        leave();
        return arguments.build();
    }

    private void argument(CallArgumentsBuilder arguments) {
        TemplateToken token = tokens.current();
        if (tokens.skipOperator("**")) {
            arguments.doubleStarred(expression(), token.line());
        } else if (tokens.skipOperator("*")) {
            arguments.starred(expression(), token.line());
        } else if (token.is(Kind.NAME) && tokens.lookAhead().isOperator("=")) {
            tokens.next();
            tokens.next();
            arguments.keyword(token.text(), expression(), token.line());
        } else {
            arguments.positional(expression(), token.line());
        }
    }
}
