package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads text files that are named on the command line. */
final class TextFile {
    private TextFile() {}

    /**
     * Reads a file in UTF-8.
     *
     * @throws VarveException of kind UNREADABLE_FILE or CORRUPT_FILE, naming the file
     */
    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE, file + ": no such file", e);
        } catch (CharacterCodingException e) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE, file + ": expected UTF-8", e);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    file + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }
}
