package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

import java.util.Optional;

/**
 * Some strings. Immutable; the operations are those of {@link StringSets}.
 *
 * @param contents what stands between their quotes, each string written in one way
 * @param outer what stands there if strings are added of which it is not known whether they belong
 *     to the set: those of formats that validators do not agree about. Complements turn the two
 *     round, so that no doubtful string is ever allowed
 * @param lengths present if they are all strings of some lengths, so that any way to write a
 *     character will do
 */
record StringSet(Regex contents, Regex outer, Optional<Lengths> lengths) {
    /**
     * Numbers of code points.
     *
     * @param most {@link Integer#MAX_VALUE} for any number
     */
    record Lengths(int least, int most) {}

    /** Whether surely no string belongs to it. */
    boolean isNothing() {
        return outer.isNothing();
    }

    boolean isEverything() {
        return lengths.isPresent()
                && lengths.get().least() == 0
                && lengths.get().most() == Integer.MAX_VALUE;
    }
}
