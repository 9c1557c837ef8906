package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

import java.util.Optional;

/**
 * A set of strings. Immutable; the operations are those of {@link StringSets}.
 *
 * @param contents texts between their quotes, each string written in one way
 * @param outer {@code contents} plus strings that may or may not belong to the set: those of
 *     formats on which validators disagree. Complements swap the two, so that no doubtful string is
 *     ever permitted
 * @param lengths present if the set holds all strings of some lengths, so that any spelling of a
 *     character is permitted
 */
record StringSet(Regex contents, Regex outer, Optional<Lengths> lengths) {
    /**
     * Numbers of code points.
     *
     * @param most {@link Integer#MAX_VALUE} for any number
     */
    record Lengths(int least, int most) {}

    /** Returns whether certainly no string belongs to it. */
    boolean isNothing() {
        return outer.isNothing();
    }

    boolean isEverything() {
        return lengths.isPresent()
                && lengths.get().least() == 0
                && lengths.get().most() == Integer.MAX_VALUE;
    }
}
