package dev.varve.platform.grammar.schema;

import java.util.List;

/**
 * Arrays that meet all of some constraints. Immutable.
 *
 * @param prefix what the first items must be
 * @param rest what the items behind them must be
 * @param least how many items there must be
 * @param most how many there may be; {@link Integer#MAX_VALUE} for any number
 * @param contains kinds of items that there must be some of
 * @param unique whether all items must differ
 * @param evaluated number of first items that keywords have looked at, for {@code
 *     unevaluatedItems}; {@link Integer#MAX_VALUE} for all
 * @param evaluatedToo further items that keywords have looked at
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
     * Items that there must be some of.
     *
     * @param from the first place that counts
     * @param most {@link Integer#MAX_VALUE} for any number
     */
    record Containing(Formula item, int from, int least, int most) {}

    ArraySpec {
        prefix = List.copyOf(prefix);
        contains = List.copyOf(contains);
    }

    /** What the item at a place must be. */
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
