package dev.varve.platform.template;

import dev.varve.platform.template.Stmt.MacroBody;
import dev.varve.platform.template.Stmt.Target;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Executes statements. */
final class Interpreter {
    /** Result of a statement for the control flow. */
    private enum Flow {
        NEXT,
        BREAK,
        CONTINUE
    }

    private final RenderContext runtime;
    private final Evaluator evaluator;

    Interpreter(RenderContext runtime) {
        this.runtime = runtime;
        this.evaluator = new Evaluator(runtime);
    }

    TemplateString render(List<Stmt> program, Scope scope) {
        TemplateString.Builder out = runtime.budget().builder();
        execute(program, scope, out);
        return out.build();
    }

    private TemplateString captured(List<Stmt> body, Scope scope) {
        TemplateString.Builder out = runtime.budget().builder();
        execute(body, scope, out);
        return runtime.budget().counted(out.build());
    }

    private Flow execute(List<Stmt> statements, Scope scope, TemplateString.Builder out) {
        runtime.budget().enter();
        Flow flow = Flow.NEXT;
        for (int i = 0; i < statements.size() && flow == Flow.NEXT; i++) {
            runtime.budget().step();
            flow = execute(statements.get(i), scope, out);
        }
        runtime.budget().leave();
        return flow;
    }

    private Flow execute(Stmt statement, Scope scope, TemplateString.Builder out) {
        switch (statement) {
            case Stmt.Text text -> out.append(text.text());
            case Stmt.Output output -> {
                runtime.line(output.line());
                out.append(runtime.str(evaluator.value(output.value(), scope)));
            }
            case Stmt.Do expression -> evaluator.value(expression.value(), scope);
            case Stmt.If branches -> {
                return choose(branches, scope, out);
            }
            case Stmt.For loop -> {
                runtime.line(loop.line());
                Value items = evaluator.value(loop.iteration().items(), scope);
                loop(loop, items, scope, 0, out);
            }
            case Stmt.Assign assign -> {
                runtime.line(assign.line());
                Value value = evaluator.value(assign.value(), scope);
                runtime.line(assign.line());
                assign(assign.target(), value, scope);
            }
            case Stmt.AssignBlock block -> {
                Value text =
                        filtered(block.filters(), captured(block.body(), scope.inner()), scope);
                runtime.line(block.line());
                assign(block.target(), text, scope);
            }
            case Stmt.FilterBlock block ->
                    out.append(
                            runtime.str(
                                    filtered(
                                            block.filters(),
                                            captured(block.body(), scope.inner()),
                                            scope)));
            case Stmt.Macro macro ->
                    scope.set(macro.name(), macro(macro.name(), macro.body(), scope));
            case Stmt.CallBlock block -> {
                Value caller = macro("caller", block.caller(), scope);
                out.append(
                        runtime.str(evaluator.call(block.call(), scope, Map.of("caller", caller))));
            }
            case Stmt.With with -> {
                return with(with, scope, out);
            }
            case Stmt.Break stop -> {
                return Flow.BREAK;
            }
            case Stmt.Continue next -> {
                return Flow.CONTINUE;
            }
        }
        return Flow.NEXT;
    }

    private Flow choose(Stmt.If branches, Scope scope, TemplateString.Builder out) {
        for (Stmt.Branch branch : branches.branches()) {
            runtime.line(branch.line());
            if (Truthiness.of(evaluator.value(branch.test(), scope))) {
                return execute(branch.body(), scope, out);
            }
        }
        return execute(branches.otherwise(), scope, out);
    }

    private Flow with(Stmt.With with, Scope scope, TemplateString.Builder out) {
        Scope inner = scope.inner();
        with.variables()
                .forEach(
                        variable ->
                                inner.set(
                                        variable.name(), evaluator.value(variable.value(), scope)));
        return execute(with.body(), inner, out);
    }

    private Value filtered(List<Expr.Step> filters, Value text, Scope scope) {
        Value value = text;
        for (Expr.Step step : filters) {
            value = evaluator.filter(step, value, scope);
        }
        return value;
    }

    private void loop(
            Stmt.For statement, Value over, Scope outer, int depth, TemplateString.Builder out) {
        List<Value> items = selected(statement, over, outer);
        Loop loop =
                new Loop(
                        items,
                        depth,
                        runtime.order(),
                        arguments -> recursion(statement, arguments, outer, depth));
        Flow flow = Flow.NEXT;
        boolean completed = false;
        for (int i = 0; i < items.size() && flow != Flow.BREAK; i++) {
            runtime.line(statement.line());
            loop.moveTo(i);
            Scope scope = outer.inner();
            scope.set("loop", loop);
            assign(statement.iteration().target(), items.get(i), scope);
            flow = execute(statement.body(), scope, out);
            completed |= flow == Flow.NEXT;
        }
        // Also after items whose bodies all ended early: the reference notes an iteration at the
        // end of the body.
        if (!completed) {
            execute(statement.otherwise(), outer.inner(), out);
        }
    }

    /**
     * Returns a copy, since the body may change the list that it iterates over. Ranges cannot
     * change, and their elements are charged one by one.
     */
    private List<Value> selected(Stmt.For statement, Value over, Scope outer) {
        boolean lazy =
                over instanceof Value.Sequence sequence && sequence.shape() == Value.Shape.RANGE;
        List<Value> items =
                lazy ? ((Value.Sequence) over).items() : new ArrayList<>(runtime.items(over));
        Optional<Expr> filter = statement.iteration().filter();
        if (filter.isEmpty()) {
            return items;
        }
        List<Value> selected = new ArrayList<>();
        for (Value item : items) {
            runtime.budget().step();
            Scope scope = outer.inner();
            assign(statement.iteration().target(), item, scope);
            if (Truthiness.of(evaluator.value(filter.get(), scope))) {
                selected.add(item);
            }
        }
        return selected;
    }

    private Value recursion(Stmt.For statement, Arguments arguments, Scope outer, int depth) {
        if (!statement.recursive()) {
            throw new EvaluationError("only a loop that is marked 'recursive' can be called");
        }
        Value items = arguments.bind("loop", "items").require("items");
        TemplateString.Builder out = runtime.budget().builder();
        runtime.budget().enter();
        loop(statement, items, outer, depth + 1, out);
        runtime.budget().leave();
        return runtime.budget().counted(out.build());
    }

    private void assign(Target target, Value value, Scope scope) {
        switch (target) {
            case Target.Variable variable -> scope.set(variable.name(), value);
            case Target.NamespaceAttribute attribute -> {
                if (!(scope.get(attribute.name()) instanceof NamespaceObject namespace)) {
                    throw new EvaluationError(
                            "'"
                                    + attribute.name()
                                    + "' is not a namespace, so its attributes cannot be set");
                }
                namespace.set(attribute.attribute(), value);
            }
            case Target.Several several -> {
                List<Value> values = runtime.items(value);
                if (values.size() != several.targets().size()) {
                    throw new EvaluationError(
                            "expected "
                                    + several.targets().size()
                                    + " values to unpack, found "
                                    + values.size());
                }
                for (int i = 0; i < values.size(); i++) {
                    assign(several.targets().get(i), values.get(i), scope);
                }
            }
        }
    }

    private Value macro(String name, MacroBody body, Scope definedIn) {
        return new Value.Callable(
                name,
                arguments -> {
                    int callLine = runtime.line();
                    Scope scope = definedIn.inner();
                    bind(name, body, arguments, scope);
                    TemplateString text = captured(body.statements(), scope);
                    runtime.line(callLine);
                    return text;
                });
    }

    private void bind(String name, MacroBody body, Arguments arguments, Scope scope) {
        List<Stmt.Parameter> parameters = body.parameters();
        List<Value> given = arguments.positional();
        Map<String, Value> keywords = new HashMap<>(arguments.keywords());
        if (given.size() > parameters.size() && !body.usesVarargs()) {
            throw new EvaluationError(
                    "macro '"
                            + name
                            + "' takes at most "
                            + parameters.size()
                            + " arguments, found "
                            + given.size());
        }
        List<Stmt.Parameter> missing = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            Stmt.Parameter parameter = parameters.get(i);
            Value value = i < given.size() ? given.get(i) : keywords.remove(parameter.name());
            if (value == null) {
                missing.add(parameter);
                value =
                        new Value.Undefined(
                                "parameter '" + parameter.name() + "' was not provided");
            }
            scope.set(parameter.name(), value);
        }
        // Defaults can use all parameters, given or not, and not the variables that these hide.
        for (Stmt.Parameter parameter : missing) {
            parameter
                    .fallback()
                    .ifPresent(
                            fallback ->
                                    scope.set(parameter.name(), evaluator.value(fallback, scope)));
        }
        bindSpecial(name, body, arguments, keywords, scope);
    }

    private static void bindSpecial(
            String name,
            MacroBody body,
            Arguments arguments,
            Map<String, Value> keywords,
            Scope scope) {
        if (body.usesCaller()) {
            Value caller = keywords.remove("caller");
            scope.set("caller", caller != null ? caller : new Value.Undefined("no caller defined"));
        }
        if (body.usesKwargs()) {
            Dict rest = new Dict();
            // In the order in which they were written.
            arguments
                    .keywords()
                    .forEach(
                            (key, value) -> {
                                if (keywords.containsKey(key)) {
                                    rest.put(TemplateString.trusted(key), value);
                                }
                            });
            scope.set("kwargs", rest);
        } else if (!keywords.isEmpty()) {
            throw new EvaluationError("macro '" + name + "' does not accept one of its arguments");
        }
        if (body.usesVarargs()) {
            int taken = Math.min(body.parameters().size(), arguments.positional().size());
            scope.set(
                    "varargs",
                    new Value.Sequence(arguments.dropFirst(taken).positional(), Value.Shape.TUPLE));
        }
    }
}
