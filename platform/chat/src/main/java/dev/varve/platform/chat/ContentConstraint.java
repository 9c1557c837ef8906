package dev.varve.platform.chat;

import dev.varve.platform.sampling.TokenMask;

/**
 * Constrains the tokens of a response's content. For one response and one thread; runs per token.
 */
interface ContentConstraint {
    /** Allows every token. */
    ContentConstraint FREE =
            new ContentConstraint() {
                @Override
                public boolean constrains() {
                    return false;
                }

                @Override
                public boolean isWhole() {
                    return false;
                }

                @Override
                public boolean allows(int token) {
                    return true;
                }

                @Override
                public TokenMask mask() {
                    throw new IllegalStateException("content without a grammar has no token mask");
                }

                @Override
                public int[] forced(int most) {
                    return NOTHING;
                }

                @Override
                public void accept(int token) {
                    // No state depends on it.
                }

                @Override
                public int allowed(int[] tokens) {
                    return tokens.length;
                }
            };

    int[] NOTHING = {};

    /** Whether any token may be forbidden. */
    boolean constrains();

    /** Whether all of the content must match, so that it cannot be empty. */
    boolean isWhole();

    /** Whether a token may come next, which may be an end token. */
    boolean allows(int token);

    /**
     * Returns the tokens that may come next, including the end tokens where the response may end.
     */
    TokenMask mask();

    /** Returns the tokens that must come next, at most {@code most}; empty if there is a choice. */
    int[] forced(int most);

    /** Consumes the next token, which is no end token. */
    void accept(int token);

    /** Returns how many of the given tokens may come next, in order. */
    int allowed(int[] tokens);
}
