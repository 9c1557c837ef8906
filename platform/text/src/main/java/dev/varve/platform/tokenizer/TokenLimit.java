package dev.varve.platform.tokenizer;

/**
 * Limits of tokenising a text, so that the cost is bounded by the caller's limit and not by the
 * size of the request.
 *
 * @param tokens maximum tokens; one more is a {@link TooManyTokensException}
 * @param wordSymbols maximum characters or bytes of one word; a word is merged as a whole, and each
 *     of its symbols needs some 60 bytes of memory meanwhile
 */
public record TokenLimit(int tokens, int wordSymbols) {
    /** For text of the user who runs the process. */
    public static final TokenLimit NONE = new TokenLimit(Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final int WORD_SYMBOLS = 2 << 20;

    /** Refuses a limit without any symbol per word. */
    public TokenLimit {
        if (tokens < 0 || wordSymbols < 1) {
            throw new IllegalArgumentException(
                    "limits must be positive, got " + tokens + " tokens, " + wordSymbols);
        }
    }

    /**
     * Returns the limit for text of clients. Words of megabytes are not text, whatever their number
     * of tokens.
     */
    public static TokenLimit of(int tokens) {
        return new TokenLimit(tokens, WORD_SYMBOLS);
    }
}
