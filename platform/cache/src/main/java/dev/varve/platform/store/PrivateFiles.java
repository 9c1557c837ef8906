package dev.varve.platform.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Files and folders that nobody but their owner can read, where the file system knows owners. */
final class PrivateFiles {
    private PrivateFiles() {}

    private static FileAttribute<?>[] attributes(Path near, String permissions) {
        boolean posix =
                near.toAbsolutePath()
                        .getFileSystem()
                        .supportedFileAttributeViews()
                        .contains("posix");
        return posix
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    /** Makes a file unless it is there. */
    static void create(Path file) throws IOException {
        try {
            Files.createFile(file, attributes(file, "rw-------"));
        } catch (FileAlreadyExistsException e) {
            // It is there.
        }
    }

    /** Makes a folder, and those above it, unless it is there. */
    static void createFolder(Path folder) throws IOException {
        Files.createDirectories(folder, attributes(folder, "rwx------"));
    }

    /** Deletes a file, or a folder with all that is in it; nothing if it is not there. */
    static void delete(Path path) throws IOException {
        if (Files.isDirectory(path, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
            List<Path> all;
            try (Stream<Path> files = Files.walk(path)) {
                all = files.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path each : all) {
                Files.deleteIfExists(each);
            }
        } else {
            Files.deleteIfExists(path);
        }
    }
}
