package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

/**
 * A set of numbers. Immutable; the operations are those of {@link NumberSets}.
 *
 * @param plain their texts without an exponent: all texts of each value, with any number of
 *     trailing zeros of the fraction
 * @param exponents whether the set holds all numbers, so that texts with exponents need no check of
 *     the value
 * @param integers whether all of them are known to be whole
 */
record NumberSet(Regex plain, boolean exponents, boolean integers) {
    boolean isNothing() {
        return plain.isNothing();
    }
}
