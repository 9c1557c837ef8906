package dev.varve.platform.engine;

import dev.varve.platform.sampling.TokenMask;

import java.util.OptionalInt;

/**
 * Steers one generation: may put a token in the place of the model's choice, such as the mark that
 * ends a thought whose budget is spent, or forbid tokens, such as those that no text of a grammar
 * goes on with. Each token is computed like any other, so that what follows continues from it. Only
 * the engine's thread calls it, in the order of the tokens; must not block. What it throws ends its
 * request, and no other.
 */
public interface TokenGuide {
    /**
     * The token that must come next, whatever the logits say; empty to let the model choose. Asked
     * once per token; never an end token.
     */
    OptionalInt forced();

    /** Takes the token that was chosen or forced; the end token is not reported. */
    void accept(int token);

    /**
     * Whether it may ever forbid a token. Always the same for a guide: logits are asked of the
     * devices then, where the best token alone would do otherwise.
     */
    default boolean constrains() {
        return false;
    }

    /**
     * Whether a token may come next, an end token included. Asked of what the model chose, where
     * nothing is forced; cheaper than a {@link #mask}.
     */
    default boolean allows(int token) {
        return true;
    }

    /**
     * All tokens that may come next, end tokens included. Asked only where the model chose another
     * one, once per token.
     *
     * @return what {@link #allows} says of each token, and at least one of them
     */
    default TokenMask mask() {
        throw new UnsupportedOperationException("a guide that forbids nothing has no mask");
    }

    /**
     * The tokens that {@link #forced} will give next, one after the other, as far as that is known
     * already. They are computed together, since nothing must be chosen in between. May be asked
     * any number of times before a token, or not at all.
     *
     * @param most how many are of use, at least 1
     * @return none, or up to so many; never an end token
     */
    default int[] certain(int most) {
        return new int[0];
    }

    /**
     * How many of some guesses may come next, one after the other; the others need not be tried.
     * Changes nothing.
     */
    default int allowed(int[] guesses) {
        return guesses.length;
    }

    /** Lets the model choose everything. */
    static TokenGuide none() {
        return new TokenGuide() {
            @Override
            public OptionalInt forced() {
                return OptionalInt.empty();
            }

            @Override
            public void accept(int token) {
                // Nothing depends on what was chosen.
            }
        };
    }
}
