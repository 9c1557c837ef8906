package dev.varve.platform.template;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Attribute, item and slice access. Only plain data and the methods listed in this package are
 * accessible.
 */
final class Attributes {
    private final RenderContext runtime;

    Attributes(RenderContext runtime) {
        this.runtime = runtime;
    }

    /** {@code value.name}: methods come before the keys of a dict. */
    Value attribute(Value value, String name) {
        if (value instanceof Value.Undefined undefined) {
            throw undefined.error();
        }
        Optional<Value> builtIn = builtIn(value, name);
        if (builtIn.isPresent()) {
            return builtIn.get();
        }
        if (value instanceof Dict dict && !(name.startsWith("__") && name.endsWith("__"))) {
            Optional<Value> item = dict.get(TemplateString.trusted(name));
            if (item.isPresent()) {
                return item.get();
            }
        }
        return missing(value, "'" + name + "'");
    }

    private Optional<Value> builtIn(Value value, String name) {
        return switch (value) {
            case TemplateString string -> StringMethods.find(runtime, string, name);
            case Dict dict -> ContainerMethods.find(runtime, dict, name);
            case Value.Sequence sequence -> ContainerMethods.find(runtime, sequence, name);
            case NamespaceObject namespace -> Optional.of(namespace.get(name));
            case Loop loop -> Optional.of(loop.attribute(name));
            default -> Optional.empty();
        };
    }

    private static Value missing(Value value, String what) {
        return new Value.Undefined(value.typeName() + " has no attribute or item " + what);
    }

    /** {@code value[index]}: keys come before methods. */
    Value item(Value value, Value index) {
        Optional<Value> item =
                switch (value) {
                    case Value.Undefined undefined -> throw undefined.error();
                    case Dict dict -> isHashable(index) ? dict.get(index) : Optional.empty();
                    case Value.Sequence sequence when !sequence.shape().isView() ->
                            position(index, sequence.items().size()).map(sequence.items()::get);
                    case TemplateString string -> character(string, index);
                    default -> Optional.empty();
                };
        if (item.isPresent()) {
            return item.get();
        }
        if (index instanceof TemplateString name) {
            // Only text of the template itself may appear in an error message.
            return builtIn(value, name.text())
                    .orElseGet(
                            () ->
                                    missing(
                                            value,
                                            name.isWhollyTrusted()
                                                    ? "'" + name + "'"
                                                    : "of that name"));
        }
        return missing(value, "at that index");
    }

    private static boolean isHashable(Value value) {
        return switch (value) {
            case Dict dict -> false;
            case Value.Sequence sequence when sequence.shape().isHashable() ->
                    sequence.items().stream().allMatch(Attributes::isHashable);
            case Value.Sequence sequence -> false;
            default -> true;
        };
    }

    private static Optional<Integer> position(Value index, int size) {
        Optional<BigInteger> integer = PythonArithmetic.integer(index);
        if (integer.isEmpty() || integer.get().bitLength() > 31) {
            return Optional.empty();
        }
        int position = integer.get().intValue();
        int fromStart = position < 0 ? position + size : position;
        return fromStart >= 0 && fromStart < size ? Optional.of(fromStart) : Optional.empty();
    }

    private Optional<Value> character(TemplateString string, Value index) {
        runtime.budget().steps(string.length() / 64);
        return position(index, string.codePointCount())
                .map(
                        position -> {
                            int begin = string.indexOfCodePoint(position);
                            return string.substring(
                                    begin,
                                    begin + Character.charCount(string.text().codePointAt(begin)));
                        });
    }

    /** {@code value[start:stop:step]}. */
    Value slice(Value value, Optional<Value> start, Optional<Value> stop, Optional<Value> step) {
        int stride = bound(step).orElse(1);
        if (stride == 0) {
            throw new EvaluationError("the step of a slice is zero");
        }
        return switch (value) {
            case Value.Undefined undefined -> throw undefined.error();
            case TemplateString string -> sliced(string, start, stop, stride);
            case Value.Sequence sequence when !sequence.shape().isView() ->
                    new Value.Sequence(
                            sliced(sequence.items(), start, stop, stride),
                            sequence.shape() == Value.Shape.GROUP
                                    ? Value.Shape.TUPLE
                                    : sequence.shape());
            default -> throw new EvaluationError("cannot slice " + value.typeName());
        };
    }

    private static Optional<Integer> bound(Optional<Value> bound) {
        return bound.filter(value -> !(value instanceof Value.None))
                .map(value -> PythonArithmetic.index(value, "a slice"));
    }

    private TemplateString sliced(
            TemplateString string, Optional<Value> start, Optional<Value> stop, int stride) {
        runtime.budget().steps(string.length() / 64);
        int size = string.codePointCount();
        if (stride != 1) {
            TemplateString.Builder out = runtime.budget().builder();
            for (Value point :
                    sliced(
                            new ArrayList<Value>(string.codePoints(runtime.budget())),
                            start,
                            stop,
                            stride)) {
                out.append((TemplateString) point);
            }
            return runtime.budget().counted(out.build());
        }
        int begin = clipped(bound(start).orElse(0), size, 0, size);
        int end = clipped(bound(stop).orElse(size), size, 0, size);
        if (begin >= end) {
            return TemplateString.EMPTY;
        }
        return runtime.budget()
                .counted(
                        string.substring(
                                string.indexOfCodePoint(begin), string.indexOfCodePoint(end)));
    }

    private List<Value> sliced(
            List<Value> items, Optional<Value> start, Optional<Value> stop, int stride) {
        int size = items.size();
        int lowest = stride > 0 ? 0 : -1;
        int highest = stride > 0 ? size : size - 1;
        int begin =
                bound(start)
                        .map(value -> clipped(value, size, lowest, highest))
                        .orElse(stride > 0 ? 0 : size - 1);
        int end =
                bound(stop)
                        .map(value -> clipped(value, size, lowest, highest))
                        .orElse(stride > 0 ? size : -1);
        List<Value> sliced = new ArrayList<>();
        for (long i = begin; stride > 0 ? i < end : i > end; i += stride) {
            runtime.budget().elements(1);
            sliced.add(items.get((int) i));
        }
        return sliced;
    }

    private static int clipped(int bound, int size, int lowest, int highest) {
        int fromStart = bound < 0 ? bound + size : bound;
        return Math.max(lowest, Math.min(highest, fromStart));
    }
}
