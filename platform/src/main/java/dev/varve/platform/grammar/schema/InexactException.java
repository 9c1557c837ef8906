package dev.varve.platform.grammar.schema;

/** Sets of values cannot be combined exactly; turned into a refusal of the keyword that asks. */
final class InexactException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With what cannot be done, as the end of a sentence. */
    InexactException(String message) {
        super(message);
    }
}
