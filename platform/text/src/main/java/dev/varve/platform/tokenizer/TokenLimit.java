package dev.varve.platform.tokenizer;

/**
 * How much of a text is tokenised before it is refused, so that a text costs what its caller can
 * use, not what somebody sends.
 *
 * @param tokens most tokens; one more is a {@link TooManyTokensException}
 * @param wordSymbols most characters or bytes of one word, inside which nothing is settled before
 *     its end, and each of which takes some 60 bytes of memory meanwhile
 */
public record TokenLimit(int tokens, int wordSymbols) {
    /** For text of the user who runs the process. */
    public static final TokenLimit NONE = new TokenLimit(Integer.MAX_VALUE, Integer.MAX_VALUE);

    private static final int WORD_SYMBOLS = 2 << 20;

    /** Checks that words may have a symbol. */
    public TokenLimit {
        if (tokens < 0 || wordSymbols < 1) {
            throw new IllegalArgumentException(
                    "limits must be positive, got " + tokens + " tokens, " + wordSymbols);
        }
    }

    /** For text of clients. Words of megabytes are no text, whatever their number of tokens. */
    public static TokenLimit of(int tokens) {
        return new TokenLimit(tokens, WORD_SYMBOLS);
    }
}
