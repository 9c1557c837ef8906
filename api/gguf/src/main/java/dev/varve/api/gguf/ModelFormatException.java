package dev.varve.api.gguf;

import dev.varve.api.VarveException;

import java.nio.file.Path;

/**
 * A model file breaks the rules of its format: names the file, the field, what was expected and
 * what was found.
 */
public final class ModelFormatException extends VarveException {
    private static final long serialVersionUID = 1L;
    private static final int MAX_TEXT = 200;

    /**
     * Creates an exception with the field, and both sides of the contradiction in readable
     * notation.
     */
    public ModelFormatException(Path file, String field, String expected, String found) {
        super(
                Kind.CORRUPT_FILE,
                file.getFileName()
                        + ": "
                        + printable(field)
                        + ": expected "
                        + expected
                        + ", found "
                        + printable(found));
    }

    /**
     * Removes control characters and truncates, because names come from the file and must not forge
     * log lines.
     */
    private static String printable(String text) {
        String clean = text.replaceAll("\\p{Cntrl}", "?");
        return clean.length() <= MAX_TEXT ? clean : clean.substring(0, MAX_TEXT) + "…";
    }
}
