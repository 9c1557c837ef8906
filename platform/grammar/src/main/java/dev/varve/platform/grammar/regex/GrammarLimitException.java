package dev.varve.platform.grammar.regex;

/** A grammar exceeds its limit of time or memory. */
public final class GrammarLimitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Creates an exception with a sentence that names the exceeded limit. */
    public GrammarLimitException(String message) {
        super(message);
    }
}
