package dev.varve.platform.grammar.regex;

/** A grammar needs more time or memory than anyone may have. */
public final class GrammarLimitException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that says what there was too much of. */
    public GrammarLimitException(String message) {
        super(message);
    }
}
