package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

/**
 * Some numbers. Immutable; the operations are those of {@link NumberSets}.
 *
 * @param plain their texts without an exponent: with a value all of its texts, whatever the number
 *     of zeros at the end of the fraction
 * @param exponents whether they are all numbers, so that exponents need no look at the value
 * @param integers whether all of them are known to be whole
 */
record NumberSet(Regex plain, boolean exponents, boolean integers) {
    boolean isNothing() {
        return plain.isNothing();
    }
}
