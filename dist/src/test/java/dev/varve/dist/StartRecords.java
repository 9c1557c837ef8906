package dev.varve.dist;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Start records that the launcher made for one test and that all other tests reuse. Making a record
 * takes as long as several starts. A record's name is a key by which the launcher finds it.
 */
final class StartRecords {
    private static final Path SHARED =
            Path.of(System.getProperty("varve.test.root"), "dist", "target", "starts");

    private StartRecords() {}

    /** Puts those that are there into a cache of the launcher's. */
    static void lend(Path cache) throws IOException {
        Files.createDirectories(cache);
        for (Path record : in(Files.createDirectories(SHARED))) {
            Path lent = cache.resolve(record.getFileName());
            if (!Files.exists(lent)) {
                link(lent, record);
            }
        }
    }

    private static void link(Path lent, Path record) throws IOException {
        try {
            Files.createLink(lent, record);
        } catch (FileSystemException elsewhere) {
            Files.createSymbolicLink(lent, record);
        }
    }

    /** Takes over those that were made in a cache of the launcher's. */
    static void keep(Path cache) throws IOException {
        for (Path record : in(cache)) {
            Path kept = SHARED.resolve(record.getFileName());
            if (!Files.exists(kept)) {
                Path whole = Files.createTempFile(SHARED, "new", null);
                Files.copy(record, whole, StandardCopyOption.REPLACE_EXISTING);
                Files.move(whole, kept, StandardCopyOption.ATOMIC_MOVE);
            }
        }
    }

    private static List<Path> in(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".aot")).toList();
        }
    }
}
