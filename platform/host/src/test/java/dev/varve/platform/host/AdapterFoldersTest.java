package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Which files a client may name. */
class AdapterFoldersTest {
    @TempDir Path root;

    private Path adapters;
    private AdapterFolders folders;

    @BeforeEach
    void write() throws IOException {
        root = root.toRealPath();
        adapters = Files.createDirectories(root.resolve("adapters"));
        Files.createDirectories(adapters.resolve("below"));
        Files.writeString(adapters.resolve("a.gguf"), "a");
        Files.writeString(adapters.resolve("below/b.gguf"), "b");
        Files.writeString(root.resolve("secret.gguf"), "secret");
        Files.createSymbolicLink(adapters.resolve("out.gguf"), root.resolve("secret.gguf"));
        Files.createSymbolicLink(adapters.resolve("in.gguf"), adapters.resolve("a.gguf"));
        folders = new AdapterFolders(List.of(root.resolve("none"), adapters));
    }

    @Test
    void filesInTheFoldersAreFoundByBothKindsOfPath() {
        assertEquals(adapters.resolve("a.gguf"), folders.find("a.gguf"));
        assertEquals(adapters.resolve("below/b.gguf"), folders.find("below/b.gguf"));
        assertEquals(
                adapters.resolve("a.gguf"), folders.find(adapters.resolve("a.gguf").toString()));
        assertEquals(adapters.resolve("a.gguf"), folders.find("below/../a.gguf"));
        assertEquals(adapters.resolve("a.gguf"), folders.find("in.gguf"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../secret.gguf",
                "out.gguf",
                "/etc/hostname",
                "/etc",
                "",
                ".",
                "below",
                "missing.gguf",
                "a\u0000b"
            })
    void otherFilesAreRefusedAlike(String path) {
        VarveException refused = assertThrows(VarveException.class, () -> folders.find(path));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
        assertTrue(
                refused.getMessage().startsWith("path: expected a file in the folders of "),
                refused.getMessage());
    }

    @Test
    void aNameIsSearchedBelowTheFolders() throws IOException {
        Files.writeString(adapters.resolve("below/a.gguf"), "another");
        folders = new AdapterFolders(List.of(adapters));

        assertEquals(
                List.of(adapters.resolve("a.gguf"), adapters.resolve("below/a.gguf")),
                folders.named("a.gguf"));
        assertEquals(List.of(), folders.named("out.gguf"));
        assertEquals(List.of(), folders.named("secret.gguf"));
    }
}
