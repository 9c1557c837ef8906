package dev.varve.platform.http.model;

import dev.varve.platform.tokenizer.Tokenizer;

/** Adds the token that begins a text. */
public final class BosToken {
    private BosToken() {}

    /** Returns the tokens with the BOS token first, if the tokenizer adds one. */
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
