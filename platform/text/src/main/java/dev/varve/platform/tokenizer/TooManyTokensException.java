package dev.varve.platform.tokenizer;

import dev.varve.api.VarveException;

/** A text has more tokens than its caller can use. */
public final class TooManyTokensException extends VarveException {
    private static final long serialVersionUID = 1L;

    private final int limit;

    /** Creates an exception for a text of more tokens than {@code limit}. */
    public TooManyTokensException(int limit) {
        super(Kind.CONTEXT_OVERFLOW, "the text has more than " + limit + " tokens");
        this.limit = limit;
    }

    /** Number of tokens that the text exceeds. */
    public int limit() {
        return limit;
    }
}
