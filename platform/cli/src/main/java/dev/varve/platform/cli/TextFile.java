package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Text files and folders that are named on the command line. */
final class TextFile {
    private TextFile() {}

    /**
     * Checks that a folder exists.
     *
     * @param flag the flag that names it
     * @throws VarveException of kind UNREADABLE_FILE, naming flag and folder
     */
    static void requireFolder(String flag, Path folder) {
        if (!Files.isDirectory(folder)) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    flag
                            + ": "
                            + folder
                            + (Files.exists(folder)
                                    ? ": expected a folder, found a file"
                                    : ": no such folder"));
        }
    }

    /**
     * Reads a file in UTF-8.
     *
     * @param flag the flag that names it
     * @throws VarveException of kind UNREADABLE_FILE or CORRUPT_FILE, naming the file
     */
    static String read(String flag, Path file) {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE, flag + ": " + file + ": no such file", e);
        } catch (CharacterCodingException e) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    flag + ": " + file + ": expected text in UTF-8",
                    e);
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    flag + ": " + file + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }
}
