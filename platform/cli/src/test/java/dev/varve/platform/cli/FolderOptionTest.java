package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class FolderOptionTest {
    @TempDir Path folder;

    @Test
    void foldersAreAbsolute() {
        assertEquals(
                List.of(folder, Path.of("").toAbsolutePath()),
                FolderOption.check("--lora-dir", List.of(folder, Path.of(""))));
    }

    @Test
    void otherPathsAreRefusedWithTheOption() throws IOException {
        Path file = Files.createFile(folder.resolve("a.gguf"));

        for (Path path : List.of(file, folder.resolve("missing"))) {
            UsageException refused =
                    assertThrows(
                            UsageException.class,
                            () -> FolderOption.check("--lora-dir", List.of(folder, path)));

            assertEquals("--lora-dir: expected a folder, found " + path, refused.getMessage());
        }
    }
}
