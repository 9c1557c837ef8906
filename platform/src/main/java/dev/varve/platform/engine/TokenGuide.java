package dev.varve.platform.engine;

import java.util.OptionalInt;

/**
 * Steers one generation: may put a token in the place of the model's choice, such as the mark that
 * ends a thought whose budget is spent. The token is computed like any other, so that what follows
 * continues from it. Only the engine's thread calls it, in the order of the tokens; must not block.
 */
public interface TokenGuide {
    /**
     * The token that must come next, whatever the logits say; empty to let the model choose. Asked
     * once per token; never an end token.
     */
    OptionalInt forced();

    /** Takes the token that was chosen or forced; the end token is not reported. */
    void accept(int token);

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
