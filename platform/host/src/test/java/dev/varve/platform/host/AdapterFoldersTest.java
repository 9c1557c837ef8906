package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;

/** Finds adapters in the permitted folders, and refuses all other files. */
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
    void aLongPathIsNotRepeated() {
        VarveException refused =
                assertThrows(VarveException.class, () -> folders.find("a/".repeat(1 << 20)));

        assertEquals(VarveException.Kind.INVALID_REQUEST, refused.kind());
        assertEquals("path: expected at most 4096 characters, found 2097152", refused.getMessage());
    }

    /** Opening a pipe would wait for its writer. */
    @Test
    void aPipeIsNoAdapter() throws Exception {
        Path pipe = adapters.resolve("pipe.gguf");
        assumeTrue(
                new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0,
                "this system makes no pipes");

        assertThrows(VarveException.class, () -> folders.find("pipe.gguf"));
        assertEquals(List.of(), new AdapterFolders(List.of(adapters)).named("pipe.gguf"));
    }

    @Test
    void aFolderThatCannotBeReadIsNamed() throws IOException {
        Path below = adapters.resolve("below");
        Files.setPosixFilePermissions(below, Set.of());
        try {
            assumeFalse(Files.isReadable(below), "this user may read all folders");

            VarveException failure =
                    assertThrows(
                            VarveException.class,
                            () -> new AdapterFolders(List.of(adapters)).named("b.gguf"));

            assertEquals(VarveException.Kind.UNREADABLE_FILE, failure.kind());
            assertTrue(failure.getMessage().contains(adapters.toString()), failure.getMessage());
        } finally {
            Files.setPosixFilePermissions(below, PosixFilePermissions.fromString("rwx------"));
        }
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
