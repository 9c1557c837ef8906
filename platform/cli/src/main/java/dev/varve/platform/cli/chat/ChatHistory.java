package dev.varve.platform.cli.chat;

import org.jline.reader.impl.history.DefaultHistory;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;

/** The inputs of earlier chats, in a file that only the user may read. Long inputs are left out. */
final class ChatHistory extends DefaultHistory {
    /** Most inputs in the file. */
    static final int MOST_ENTRIES = 1000;

    /** Longer ones are usually pasted. */
    static final int MOST_CHARACTERS = 10_000;

    @Override
    public void add(Instant time, String line) {
        if (line.length() <= MOST_CHARACTERS) {
            super.add(time, line);
        }
    }

    /**
     * Creates the file and its folders if they are missing.
     *
     * @throws IOException if they cannot be created or protected
     */
    static void create(Path file) throws IOException {
        Files.createDirectories(file.getParent(), permissions("rwx------"));
        try {
            Files.createFile(file, permissions("rw-------"));
        } catch (FileAlreadyExistsException e) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    private static FileAttribute<?> permissions(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }
}
