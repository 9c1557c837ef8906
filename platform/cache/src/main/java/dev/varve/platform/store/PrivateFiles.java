package dev.varve.platform.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Creates files and folders that only their owner can read, if the file system supports POSIX
 * permissions; deletes files and folders.
 */
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

    /** Creates a file unless it exists. */
    static void create(Path file) throws IOException {
        try {
            Files.createFile(file, attributes(file, "rw-------"));
        } catch (FileAlreadyExistsException e) {
            // The file exists already.
        }
    }

    /** Creates a folder and its parents, unless they exist. */
    static void createFolder(Path folder) throws IOException {
        if (Files.exists(folder) && !Files.isDirectory(folder)) {
            throw new NotDirectoryException(folder.toString());
        }
        Files.createDirectories(folder, attributes(folder, "rwx------"));
    }

    /** Deletes a file, or a folder with its content; does nothing if it does not exist. */
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
