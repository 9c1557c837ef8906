package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.dist.ChatClient.Answer;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The prefix cache on disk outlives the server. A restarted server may split its layers
 * differently.
 */
@Timeout(180)
class DiskCacheIT {
    private static final ChatClient CLIENT = new ChatClient();

    /** One home for all, so that libraries are unpacked once. */
    @TempDir static Path home;

    @TempDir Path folder;

    @AfterAll
    static void stop() {
        CLIENT.close();
    }

    private Varve.Server serve(String model, Object... arguments) throws IOException {
        return DemoServer.startFamily(new Varve(Varve.INSTALLATION, home), model, arguments);
    }

    private Varve.Server keeping(String model, Object... arguments) throws IOException {
        return serve(
                model,
                Stream.concat(
                                Stream.of("--kv-cache-dir", folder.resolve("kept")),
                                Stream.of(arguments))
                        .toArray());
    }

    private static Answer ask(Varve.Server server, int question) throws Exception {
        return CLIENT.ask(server, 11, question);
    }

    private static void assertRestored(Answer cold, Answer restored) {
        assertEquals("disk", restored.source());
        assertEquals(cold.text(), restored.text());
        assertTrue(
                restored.cached() >= cold.prompt() - 16 && restored.cached() < cold.prompt(),
                restored + " of " + cold);
    }

    static Stream<String> models() {
        List<String> all = List.of("gemma4", "qwen35", "laguna");
        // Few starts in an ordinary build.
        return all.stream().limit(Effort.of(1, 3));
    }

    @ParameterizedTest
    @MethodSource("models")
    void promptOfAKilledServerIsRestoredUnderAnySplit(String model) throws Exception {
        Answer first;
        Answer other;
        try (Varve.Server server =
                keeping(
                        model,
                        "--target-devices",
                        "cpu:0,cpu:0",
                        "--target-layer-split",
                        "0.25,0.75")) {
            first = ask(server, 1);
            assertEquals(0, first.cached());
            CLIENT.awaitWritten(server);
            server.signal("KILL");
        }
        try (Varve.Server server = keeping(model)) {
            assertRestored(first, ask(server, 1));
            other = CLIENT.askCold(server, 11, 2);
        }
        try (Varve.Server server =
                keeping(
                        model,
                        "--target-devices",
                        "cpu:0,cpu:0@process",
                        "--target-layer-split",
                        "0.75,0.25")) {
            assertRestored(first, ask(server, 1));
            Answer behind = ask(server, 2);
            assertEquals(other.text(), behind.text());
            assertTrue(behind.cached() >= other.prompt() - 40, behind + " of " + other);
        }
    }

    @Test
    @Tag("nightly")
    void stoppingServerWritesItsPrefixesFirst() throws Exception {
        Answer first;
        try (Varve.Server server = keeping("qwen35")) {
            first = ask(server, 1);
            server.terminate();
            assertTrue(server.ends());
        }
        try (Varve.Server server = keeping("qwen35")) {
            assertRestored(first, ask(server, 1));
        }
    }

    @Test
    @Tag("nightly")
    void secondServerMayReadButNotWrite() throws Exception {
        try (Varve.Server server = keeping("qwen35")) {
            Answer first = ask(server, 1);
            CLIENT.awaitWritten(server);
            Varve.Outcome second =
                    new Varve(Varve.INSTALLATION, home)
                            .run(
                                    "serve",
                                    "--model",
                                    Varve.INSTALLATION.resolve("models/varve-demo-qwen35.gguf"),
                                    "--port",
                                    0,
                                    "--kv-cache-dir",
                                    folder.resolve("kept"));
            assertEquals(2, second.status(), second.err());
            assertTrue(second.err().contains("--kv-cache-mode read"), second.err());

            try (Varve.Server reader = keeping("qwen35", "--kv-cache-mode", "read")) {
                assertRestored(first, ask(reader, 1));
            }
        }
    }

    @Test
    @Tag("nightly")
    void diskCacheWithoutHostMemoryIsRefused() throws Exception {
        Varve varve = new Varve(Varve.INSTALLATION, home);

        for (String store :
                List.of("--kv-cache-dir", "--shared-cache").subList(0, Effort.of(1, 2))) {
            String place = store.equals("--kv-cache-dir") ? folder + "/k" : "redis://host";
            Varve.Outcome outcome = varve.run("serve", store, place, "--cache-ram", "0");

            assertEquals(2, outcome.status(), outcome.err());
            assertTrue(outcome.err().contains("--cache-ram"), outcome.err());
        }
    }

    @Test
    @Tag("nightly")
    void shortKeyIsRefused() throws Exception {
        Path key = Files.writeString(folder.resolve("key"), "short");

        Varve.Outcome outcome =
                new Varve(Varve.INSTALLATION, home)
                        .run(
                                "serve",
                                "--kv-cache-dir",
                                folder.resolve("k"),
                                "--cache-key-file",
                                key);

        assertTrue(outcome.err().contains("--cache-key-file"), outcome.err());
    }
}
