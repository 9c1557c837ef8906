package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A store that somebody else wrote, in the place of Varve's own: one plain file, compiled against
 * the installation's api alone.
 */
@Timeout(180)
class StorePluginIT {
    /** The store that tests of the platform use; it needs nothing but the api. */
    private static final Path STORE =
            Path.of(
                    System.getProperty("varve.test.root"),
                    "contracts/src/main/java/dev/varve/contracts/SlotStore.java");

    @TempDir Path folder;

    private Path installation;
    private Varve varve;
    private Path kept;

    @BeforeEach
    void installWithoutStores() throws IOException {
        installation = InstallationCopy.in(folder);
        try (Stream<Path> files =
                Files.walk(installation.resolve("plugins/varve-plugin-chronicle"))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        varve = new Varve(installation, folder);
        kept = folder.resolve("kept");
    }

    @Test
    @Tag("nightly")
    void installedStoreKeepsPrefixes() throws Exception {
        PluginJar.drop(installation, sources(), "acme-slots.jar");
        try (ChatClient chat = new ChatClient()) {
            ChatClient.Answer first;
            try (Varve.Server server = DemoServer.start(varve, "--kv-cache-dir", kept)) {
                first = chat.ask(server, 1, 1);
                server.terminate();
                assertTrue(server.ends());
            }
            ChatClient.Answer restored;
            try (Varve.Server server = DemoServer.start(varve, "--kv-cache-dir", kept)) {
                restored = chat.ask(server, 1, 1);
            }

            assertEquals("disk", restored.source());
            assertEquals(first.text(), restored.text());
            assertTrue(restored.cached() >= restored.prompt() - 16, restored.toString());
        }
        Varve.Outcome verified = varve.run("cache", "verify", "--kv-cache-dir", kept);
        assertEquals(0, verified.status(), verified.toString());
    }

    /** A module of its own, with the store in its own package. */
    private Path sources() throws IOException {
        Path sources = folder.resolve("acme");
        Path store = Files.createDirectories(sources.resolve("acme/slots"));
        Files.writeString(
                sources.resolve("module-info.java"),
                """
                module acme.slots {
                    requires dev.varve.api;

                    provides dev.varve.api.snapshot.SnapshotStoreProvider with
                            acme.slots.SlotStore.Provider;
                }
                """);
        Files.writeString(
                store.resolve("SlotStore.java"),
                Files.readString(STORE)
                        .replace("package dev.varve.contracts;", "package acme.slots;"));
        return sources;
    }

    @Test
    void diskFolderIsRefusedWithoutAStorePlugin() throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        "serve", "--model", DemoServer.MODEL, "--port", 0, "--kv-cache-dir", kept);

        assertTrue(outcome.status() != 0, outcome.toString());
        String last = outcome.err().lines().reduce("", (before, line) -> line);
        assertTrue(
                last.contains("--kv-cache-dir: no plugin provides a store")
                        && last.contains("varve-plugin-chronicle"),
                outcome.toString());
        assertTrue(Files.notExists(kept), "nothing is made for nothing");
    }
}
