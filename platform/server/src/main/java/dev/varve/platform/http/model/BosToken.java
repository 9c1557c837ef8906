package dev.varve.platform.http.model;

import dev.varve.platform.tokenizer.Tokenizer;

/** The token that begins a text. */
public final class BosToken {
    private BosToken() {}

    /** The tokens with it in front, if the model wants it there. */
    public static int[] before(int[] tokens, Tokenizer tokenizer) {
        if (!tokenizer.addsBos() || tokenizer.bosId().isEmpty()) {
            return tokens;
        }
        int[] longer = new int[tokens.length + 1];
        longer[0] = tokenizer.bosId().getAsInt();
        System.arraycopy(tokens, 0, longer, 1, tokens.length);
        return longer;
    }
}
