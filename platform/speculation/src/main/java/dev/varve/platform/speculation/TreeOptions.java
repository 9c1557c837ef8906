package dev.varve.platform.speculation;

import dev.varve.api.backend.TokenTrees;

/**
 * Whether guesses may branch, so that a step checks several for one place.
 *
 * @param guesses most of a tree; 0 where none branch
 * @param always in every step, and not only where that was measured to be better
 */
public record TreeOptions(int guesses, boolean always) {
    /** Guesses follow one another. */
    public static final TreeOptions OFF = new TreeOptions(0, false);

    /** Guesses of a tree where nobody asked for another number. */
    public static final int USUAL = 22;

    /** Most that can be asked for; the known token is one of a tree's, too. */
    public static final int MOST = TokenTrees.MOST_TOKENS - 1;

    /** Checks the number. */
    public TreeOptions {
        if (guesses < 0 || guesses > MOST || always && guesses == 0) {
            throw new IllegalArgumentException("trees of " + guesses + " guesses");
        }
    }
}
