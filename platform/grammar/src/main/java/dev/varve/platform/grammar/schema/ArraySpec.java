package dev.varve.platform.grammar.schema;

import java.util.List;

/**
 * Arrays that meet all of some constraints. Immutable.
 *
 * @param prefix constraints of the first items
 * @param rest constraint of the items after them
 * @param least minimum number of items
 * @param most maximum number of items; {@link Integer#MAX_VALUE} for any number
 * @param contains kinds of items with a required count
 * @param unique whether all items must differ
 * @param evaluated number of first items that keywords have evaluated, for {@code
 *     unevaluatedItems}; {@link Integer#MAX_VALUE} for all
 * @param evaluatedToo further items that keywords have evaluated
 */
record ArraySpec(
        List<Formula> prefix,
        Formula rest,
        int least,
        int most,
        List<Containing> contains,
        boolean unique,
        int evaluated,
        Formula evaluatedToo) {
    /**
     * Items with a required count.
     *
     * @param from the first position that counts
     * @param most {@link Integer#MAX_VALUE} for any number
     */
    record Containing(Formula item, int from, int least, int most) {}

    ArraySpec {
        prefix = List.copyOf(prefix);
        contains = List.copyOf(contains);
    }

    /** The constraint of the item at a position. */
    Formula item(int place) {
        return place < prefix.size() ? prefix.get(place) : rest;
    }

    ArraySpec withItems(List<Formula> first, Formula others) {
        return new ArraySpec(first, others, least, most, contains, unique, evaluated, evaluatedToo);
    }

    ArraySpec withCount(int atLeast, int atMost) {
        return new ArraySpec(
                prefix, rest, atLeast, atMost, contains, unique, evaluated, evaluatedToo);
    }

    ArraySpec withContains(List<Containing> other) {
        return new ArraySpec(prefix, rest, least, most, other, unique, evaluated, evaluatedToo);
    }

    ArraySpec withUnique() {
        return new ArraySpec(prefix, rest, least, most, contains, true, evaluated, evaluatedToo);
    }

    ArraySpec withEvaluated(int count, Formula others) {
        return new ArraySpec(prefix, rest, least, most, contains, unique, count, others);
    }
}
