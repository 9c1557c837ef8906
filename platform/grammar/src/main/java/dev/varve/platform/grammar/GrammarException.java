package dev.varve.platform.grammar;

/** A grammar is wrong, or requires something that cannot be enforced. */
public class GrammarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String path;

    /**
     * @param path JSON pointer of the keyword in a schema; empty for a grammar as a whole
     * @param message the error, with expected and found
     */
    public GrammarException(String path, String message) {
        super(message);
        this.path = path;
    }

    /** JSON pointer of the keyword in a schema; empty for a grammar as a whole. */
    public String path() {
        return path;
    }

    /** A valid grammar that no text can satisfy. */
    public static final class Unsatisfiable extends GrammarException {
        private static final long serialVersionUID = 1L;

        Unsatisfiable() {
            super("", "no text can satisfy the grammar");
        }
    }
}
