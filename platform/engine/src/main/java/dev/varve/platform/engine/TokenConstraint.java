package dev.varve.platform.engine;

import dev.varve.platform.sampling.TokenMask;

import java.util.OptionalInt;

/**
 * Steers one generation. It may force a token instead of the model's choice, such as the delimiter
 * that ends reasoning whose budget is spent, or forbid tokens, such as those that a grammar does
 * not permit. Each token is computed like any other, so that later tokens continue from it. Only
 * the engine's thread calls it, in the order of the tokens; it must not block. An exception ends
 * its request, and no other.
 */
public interface TokenConstraint {
    /**
     * Returns the token that must come next, regardless of the logits; empty to let the model
     * choose. Called once per token; never an end token.
     */
    OptionalInt forced();

    /** Accepts the token that was chosen or forced; the end token is not reported. */
    void accept(int token);

    /**
     * Returns whether the constraint may ever forbid a token. Constant for a constraint: if true,
     * the devices must return logits, even where the best token alone would suffice.
     */
    default boolean constrains() {
        return false;
    }

    /**
     * Returns whether a token may come next, an end token included. Called with the model's choice
     * if no token is forced, and with some of the best tokens of a row to find out whether they
     * decide the choice. Changes no state; cheaper than a {@link #mask}.
     */
    default boolean allows(int token) {
        return true;
    }

    /**
     * Returns all tokens that may come next, end tokens included. Called only if the model chose a
     * forbidden one, once per token.
     *
     * @return the tokens for which {@link #allows} is true, at least one
     */
    default TokenMask mask() {
        throw new UnsupportedOperationException("a constraint that forbids nothing has no mask");
    }

    /**
     * Returns the tokens that {@link #forced} will return next, in order, as far as they are known.
     * They are computed together, since no choice is needed in between. May be called any number of
     * times before a token, or not at all.
     *
     * @param most most tokens to return, at least 1
     * @return up to {@code most} tokens, or none; never an end token
     */
    default int[] forcedTokens(int most) {
        return new int[0];
    }

    /**
     * Returns how many draft tokens, from the first one on, may come next in sequence; the rest
     * need not be verified. Changes no state.
     */
    default int allowed(int[] draftTokens) {
        return draftTokens.length;
    }

    /** Returns a constraint that lets the model choose every token. */
    static TokenConstraint none() {
        return new TokenConstraint() {
            @Override
            public OptionalInt forced() {
                return OptionalInt.empty();
            }

            @Override
            public void accept(int token) {
                // This constraint has no state.
            }
        };
    }
}
