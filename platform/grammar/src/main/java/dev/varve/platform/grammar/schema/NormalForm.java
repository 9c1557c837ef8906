package dev.varve.platform.grammar.schema;

import java.util.List;

/**
 * A set of values, type by type; the parts of arrays and objects are formulas. Immutable; the
 * operations are those of {@link Algebra}.
 *
 * @param isNull whether {@code null} belongs to it
 * @param isTrue whether {@code true} does
 * @param isFalse whether {@code false} does
 * @param arrays alternatives
 * @param objects alternatives
 */
record NormalForm(
        boolean isNull,
        boolean isTrue,
        boolean isFalse,
        NumberSet numbers,
        StringSet strings,
        List<ArraySpec> arrays,
        List<ObjectSpec> objects) {
    NormalForm {
        arrays = List.copyOf(arrays);
        objects = List.copyOf(objects);
    }

    NormalForm withLiterals(boolean newNull, boolean newTrue, boolean newFalse) {
        return new NormalForm(newNull, newTrue, newFalse, numbers, strings, arrays, objects);
    }

    NormalForm withNumbers(NumberSet other) {
        return new NormalForm(isNull, isTrue, isFalse, other, strings, arrays, objects);
    }

    NormalForm withStrings(StringSet other) {
        return new NormalForm(isNull, isTrue, isFalse, numbers, other, arrays, objects);
    }

    NormalForm withArrays(List<ArraySpec> other) {
        return new NormalForm(isNull, isTrue, isFalse, numbers, strings, other, objects);
    }

    NormalForm withObjects(List<ObjectSpec> other) {
        return new NormalForm(isNull, isTrue, isFalse, numbers, strings, arrays, other);
    }
}
