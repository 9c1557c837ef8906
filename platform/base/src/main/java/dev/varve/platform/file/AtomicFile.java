package dev.varve.platform.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * Replaces files atomically: the content is written to a new file beside the old one, which is then
 * renamed. Another process reads the former content or the new one, never a part, and a full disk
 * leaves the former.
 */
public final class AtomicFile {
    private static final String SUFFIX = ".new";

    private AtomicFile() {}

    /** Readers of a new file, where the system has permissions. The umask restricts them. */
    public enum Readers {
        /** Its owner. */
        OWNER("rw-------"),
        /** All users. */
        ALL("rw-r--r--");

        private final String permissions;

        Readers(String permissions) {
            this.permissions = permissions;
        }
    }

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {
        /**
         * Writes the content to an empty file.
         *
         * @throws IOException if the content cannot be written; nothing is replaced then
         */
        void write(Path fresh) throws IOException;
    }

    /**
     * Creates or replaces a file in a folder that exists.
     *
     * @throws IOException if it cannot be written; the former file is unchanged then, and no other
     *     file is left
     */
    public static void replace(Path file, Readers readers, Content content) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        String prefix = "." + file.getFileName() + ".";
        Path fresh = Files.createTempFile(folder, prefix, SUFFIX, attributes(folder, readers));
        try {
            content.write(fresh);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static FileAttribute<?>[] attributes(Path folder, Readers readers) {
        return folder.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(readers.permissions))
                }
                : new FileAttribute<?>[0];
    }
}
