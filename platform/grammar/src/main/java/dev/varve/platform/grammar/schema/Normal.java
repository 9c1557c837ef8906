package dev.varve.platform.grammar.schema;

import java.util.List;

/**
 * Which values are meant, type by type; the parts of arrays and objects as formulas. Immutable; the
 * operations are those of {@link Algebra}.
 *
 * @param isNull whether {@code null} belongs to it
 * @param isTrue whether {@code true} does
 * @param isFalse whether {@code false} does
 * @param arrays any of them
 * @param objects any of them
 */
record Normal(
        boolean isNull,
        boolean isTrue,
        boolean isFalse,
        NumberSet numbers,
        StringSet strings,
        List<ArraySpec> arrays,
        List<ObjectSpec> objects) {
    Normal {
        arrays = List.copyOf(arrays);
        objects = List.copyOf(objects);
    }

    Normal withLiterals(boolean newNull, boolean newTrue, boolean newFalse) {
        return new Normal(newNull, newTrue, newFalse, numbers, strings, arrays, objects);
    }

    Normal withNumbers(NumberSet other) {
        return new Normal(isNull, isTrue, isFalse, other, strings, arrays, objects);
    }

    Normal withStrings(StringSet other) {
        return new Normal(isNull, isTrue, isFalse, numbers, other, arrays, objects);
    }

    Normal withArrays(List<ArraySpec> other) {
        return new Normal(isNull, isTrue, isFalse, numbers, strings, other, objects);
    }

    Normal withObjects(List<ObjectSpec> other) {
        return new Normal(isNull, isTrue, isFalse, numbers, strings, arrays, other);
    }
}
