package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.Regex;

import java.util.Optional;

/**
 * Some strings. Immutable; the operations are those of {@link Strings}.
 *
 * @param contents what stands between their quotes, each string written in one way
 * @param lengths present if they are all strings of some lengths, so that any way to write a
 *     character will do
 */
record StringSet(Regex contents, Optional<Lengths> lengths) {
    /**
     * Numbers of code points.
     *
     * @param most {@link Integer#MAX_VALUE} for any number
     */
    record Lengths(int least, int most) {}

    boolean isNothing() {
        return contents.isNothing();
    }

    boolean isEverything() {
        return lengths.isPresent()
                && lengths.get().least() == 0
                && lengths.get().most() == Integer.MAX_VALUE;
    }
}
