package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Temporary folder for files of checks, such as a model of some gigabytes. */
final class CheckFolder implements AutoCloseable {
    private final Path path;

    private CheckFolder(Path path) {
        this.path = path;
    }

    /**
     * Creates a folder.
     *
     * @throws VarveException if the temporary folder of the system is not writable
     */
    static CheckFolder create() {
        try {
            return new CheckFolder(Files.createTempDirectory("varve-check"));
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    System.getProperty("java.io.tmpdir")
                            + ": no folder can be created: "
                            + FileErrors.reason(e),
                    e);
        }
    }

    Path path() {
        return path;
    }

    /** Deletes the folder with its files; what cannot be deleted remains. */
    @Override
    public void close() {
        delete(path);
    }

    /** Deletes a folder with its files, as far as possible. */
    static void delete(Path folder) {
        try {
            List<Path> all;
            try (Stream<Path> files = Files.walk(folder)) {
                all = files.sorted(Comparator.reverseOrder()).toList();
            }
            for (Path each : all) {
                Files.deleteIfExists(each);
            }
        } catch (IOException _) {
            // It may be deleted already.
        }
    }
}
