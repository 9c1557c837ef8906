package dev.varve.platform.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;

class AtomicFileTest {
    @TempDir private Path folder;

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).toList();
        }
    }

    @Test
    void fileIsCreatedAndReplaced() throws IOException {
        Path file = folder.resolve("a.json");

        AtomicFile.replace(file, AtomicFile.Readers.OWNER, fresh -> Files.writeString(fresh, "1"));
        AtomicFile.replace(file, AtomicFile.Readers.OWNER, fresh -> Files.writeString(fresh, "2"));

        assertEquals("2", Files.readString(file));
        assertEquals(List.of("a.json"), names());
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    }

    @Test
    void failureLeavesTheFormerFileAlone() throws IOException {
        Path file = Files.writeString(folder.resolve("a.json"), "1");

        assertThrows(
                IOException.class,
                () ->
                        AtomicFile.replace(
                                file,
                                AtomicFile.Readers.ALL,
                                fresh -> {
                                    Files.writeString(fresh, "half");
                                    throw new IOException("full");
                                }));

        assertEquals("1", Files.readString(file));
        assertEquals(List.of("a.json"), names());
    }
}
