package dev.varve.platform.template;

import java.util.List;

/** The {@code loop} variable. */
final class Loop implements Value {
    private final List<Value> items;
    private final int depth;
    private final ValueComparison order;
    private final Callable.Body recursion;
    private int index;
    private List<Value> changedTo = List.of();
    private boolean asked;

    Loop(List<Value> items, int depth, ValueComparison order, Callable.Body recursion) {
        this.items = items;
        this.depth = depth;
        this.order = order;
        this.recursion = recursion;
    }

    void moveTo(int newIndex) {
        index = newIndex;
    }

    Value call(Arguments arguments) {
        return recursion.call(arguments);
    }

    Value attribute(String name) {
        int size = items.size();
        return switch (name) {
            case "index" -> Int.of(index + 1L);
            case "index0" -> Int.of(index);
            case "revindex" -> Int.of((long) size - index);
            case "revindex0" -> Int.of(size - index - 1L);
            case "first" -> Value.of(index == 0);
            case "last" -> Value.of(index == size - 1);
            case "length" -> Int.of(size);
            case "depth" -> Int.of(depth + 1L);
            case "depth0" -> Int.of(depth);
            case "previtem" ->
                    index > 0 ? items.get(index - 1) : new Undefined("there is no previous item");
            case "nextitem" ->
                    index + 1 < size
                            ? items.get(index + 1)
                            : new Undefined("there is no next item");
            case "cycle" -> new Callable("cycle", this::cycle);
            case "changed" -> new Callable("changed", this::changed);
            default -> new Undefined("loop has no attribute '" + name + "'");
        };
    }

    private Value cycle(Arguments arguments) {
        if (arguments.positional().isEmpty()) {
            throw new EvaluationError("loop.cycle needs values to choose from");
        }
        return arguments.positional().get(index % arguments.positional().size());
    }

    private Value changed(Arguments arguments) {
        boolean same =
                asked
                        && order.equal(
                                Sequence.list(changedTo), Sequence.list(arguments.positional()));
        asked = true;
        changedTo = arguments.positional();
        return Value.of(!same);
    }

    @Override
    public String typeName() {
        return "LoopContext";
    }
}
