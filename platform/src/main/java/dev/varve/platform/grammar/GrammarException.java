package dev.varve.platform.grammar;

/** A grammar cannot be compiled: it is malformed, or asks for what cannot be enforced exactly. */
public final class GrammarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String path;

    /**
     * @param path where: a JSON pointer into a schema such as {@code /properties/a/pattern}, empty
     *     for its root and for sources that are text
     */
    public GrammarException(String path, String message) {
        super(message);
        this.path = path;
    }

    /** Where: a JSON pointer into a schema, empty for its root and for sources that are text. */
    public String path() {
        return path;
    }
}
