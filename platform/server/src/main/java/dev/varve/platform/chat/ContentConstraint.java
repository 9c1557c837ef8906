package dev.varve.platform.chat;

import dev.varve.platform.sampling.TokenMask;

/** Which tokens the content of an answer may go on with. One answer, one thread; runs per token. */
interface ContentConstraint {
    /** Everything may come. */
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
                    throw new IllegalStateException("nothing is forbidden");
                }

                @Override
                public int[] forced(int most) {
                    return NOTHING;
                }

                @Override
                public void accept(int token) {
                    // Nothing depends on it.
                }

                @Override
                public int allowed(int[] tokens) {
                    return tokens.length;
                }
            };

    int[] NOTHING = {};

    /** Whether anything may be forbidden. */
    boolean constrains();

    /** Whether all of the content has to keep to it, so that there must be some. */
    boolean isWhole();

    /** Whether a token may come next, an end token included. */
    boolean allows(int token);

    /** The tokens that may come next, the end tokens among them where the answer may end. */
    TokenMask mask();

    /** Tokens that must come next, at most so many; none where there is a choice. */
    int[] forced(int most);

    /** Takes the next token, which is no end token. */
    void accept(int token);

    /** How many of some tokens may come next in turn. */
    int allowed(int[] tokens);
}
