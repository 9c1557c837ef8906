package dev.varve.platform.grammar;

/** A grammar that is wrong, or asks for what cannot be enforced. */
public class GrammarException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String path;

    /**
     * @param path JSON pointer of the keyword in a schema; empty for a grammar as a whole
     * @param message what is wrong, expected and found
     */
    public GrammarException(String path, String message) {
        super(message);
        this.path = path;
    }

    /** JSON pointer of the keyword in a schema; empty for a grammar as a whole. */
    public String path() {
        return path;
    }

    /** A grammar that is understood, and that no text can satisfy. */
    public static final class Unsatisfiable extends GrammarException {
        private static final long serialVersionUID = 1L;

        Unsatisfiable() {
            super("", "no text can satisfy it");
        }
    }
}
