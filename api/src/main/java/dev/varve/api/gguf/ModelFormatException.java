package dev.varve.api.gguf;

import dev.varve.api.VarveException;

import java.nio.file.Path;

/**
 * A model file breaks the rules of its format: names the file, the field, what was expected and
 * what was found.
 */
public final class ModelFormatException extends VarveException {
    private static final long serialVersionUID = 1L;

    public ModelFormatException(Path file, String field, String expected, String found) {
        super(
                Kind.CORRUPT_FILE,
                file.getFileName() + ": " + field + ": expected " + expected + ", found " + found);
    }
}
