package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.varve.dist.ChatClient.Answer;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A server handles a deleted or unusable folder of the disk cache. */
@Tag("nightly")
@Timeout(180)
class DiskFailureIT {
    private static final ChatClient CLIENT = new ChatClient();

    /** Tokens whose rows are kept together; those behind the last whole block are kept by entry. */
    private static final int BLOCK_TOKENS = 256;

    /** Prompts with one head. */
    private static final int PROMPTS = 10;

    /** One home for all, so that libraries are unpacked once. */
    @TempDir static Path home;

    @TempDir Path folder;

    private Varve varve;
    private Path kept;

    @BeforeEach
    void name() {
        varve = new Varve(Varve.INSTALLATION, home);
        kept = folder.resolve("kept");
    }

    @AfterAll
    static void stop() {
        CLIENT.close();
    }

    private Varve.Server keeping(Object... arguments) throws IOException {
        return DemoServer.start(
                varve,
                Stream.concat(Stream.of("--kv-cache-dir", kept), Stream.of(arguments)).toArray());
    }

    private Varve.Outcome refused(Object... arguments) throws Exception {
        Stream<Object> all =
                Stream.of(
                        "serve", "--model", DemoServer.MODEL, "--port", 0, "--kv-cache-dir", kept);
        Varve.Outcome outcome = varve.run(Stream.concat(all, Stream.of(arguments)).toArray());
        assertEquals(2, outcome.status(), outcome.toString());
        return outcome;
    }

    /** Such a refusal is the last line. */
    private static void assertTells(String text, Varve.Outcome outcome) {
        String last = outcome.err().lines().reduce("", (before, line) -> line);
        assertTrue(last.contains(text), outcome.err());
    }

    /** A store is 4 MiB here, so that another one is due after a few prompts. */
    @Test
    void deletedFolderDoesNotAffectResponses() throws Exception {
        try (Varve.Server server = keeping("--kv-cache-budget", "64M")) {
            Answer before = CLIENT.ask(server, 0, 0);
            CLIENT.awaitWritten(server);
            assertEquals(1, CLIENT.metric(server, "varve_prefix_disk_writable"));
            delete(kept);

            List<String> answers = new ArrayList<>();
            while (CLIENT.metric(server, "varve_prefix_disk_writable") > 0) {
                answers.add(CLIENT.ask(server, answers.size() + 1, 0).text());
            }
            Answer again = CLIENT.ask(server, 0, 0);

            for (int i = 0; i < answers.size(); i++) {
                assertEquals(CLIENT.askCold(server, i + 1, 0).text(), answers.get(i));
            }
            assertEquals(before.text(), again.text());
            assertTrue(again.cached() >= again.prompt() - 16, again.toString());
            assertTrue(server.err().contains("not written to " + kept), server.err());
            server.terminate();
            assertTrue(server.ends());
            assertEquals(143, server.status());
        }
    }

    /** Those who write may delete a file first. */
    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Test
    void unwritableFolderIsRefusedByName() throws Exception {
        Files.createDirectory(
                kept,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r-xr-xr-x")));
        assumeFalse(Files.isWritable(kept), "whoever runs this may write everywhere, as root does");

        assertTells("--kv-cache-dir: " + kept + " cannot be used", refused());
    }

    @Test
    void fileInPlaceOfTheFolderIsRefusedByName() throws Exception {
        Files.writeString(kept, "no folder");

        assertTells("--kv-cache-dir: " + kept + " cannot be used", refused());
    }

    @Test
    void folderWithAnotherKeyIsRefused() throws Exception {
        Path key = Files.writeString(folder.resolve("key"), "17".repeat(32));
        Path other = Files.writeString(folder.resolve("other"), "18".repeat(32));
        Answer first;
        try (Varve.Server server = keeping("--cache-key-file", key)) {
            first = CLIENT.ask(server, 1, 1);
            CLIENT.awaitWritten(server);
        }

        Varve.Outcome wrong = refused("--cache-key-file", other);
        Varve.Outcome none = refused();
        Answer restored;
        try (Varve.Server server = keeping("--cache-key-file", key)) {
            restored = CLIENT.ask(server, 1, 1);
        }

        String refusal = "--kv-cache-dir: " + kept + " was encrypted with another key";
        assertTells(refusal, wrong);
        assertTells(refusal, none);
        assertEquals("disk", restored.source());
        assertEquals(first.text(), restored.text());
    }

    @Test
    void sharedPrefixIsStoredOnce() throws Exception {
        List<Answer> cold = new ArrayList<>();
        long copied;
        try (Varve.Server server = keeping()) {
            for (int question = 0; question < PROMPTS; question++) {
                cold.add(CLIENT.ask(server, 1, question));
            }
            CLIENT.awaitWritten(server);
            copied = CLIENT.metric(server, "varve_prefix_cache_exported_bytes_total");
        }
        JsonNode model = status();
        List<Answer> restored = new ArrayList<>();
        try (Varve.Server server = keeping()) {
            for (int question = 0; question < PROMPTS; question++) {
                restored.add(CLIENT.ask(server, 1, question));
            }
        }

        long blocks = model.get("blocks").asLong();
        assertEquals(cold.getFirst().prompt() / BLOCK_TOKENS, blocks, model.toString());
        long used = model.get("bytes").asLong();
        assertTrue(used < 1.1 * copied, used + " bytes for " + copied + ": " + model);
        for (int i = 0; i < PROMPTS; i++) {
            Answer hit = restored.get(i);
            assertEquals("disk", hit.source());
            assertEquals(cold.get(i).text(), hit.text());
            assertTrue(hit.cached() > 1000 && hit.cached() >= hit.prompt() - 16, hit.toString());
        }
    }

    private JsonNode status() throws Exception {
        Varve.Outcome outcome = varve.run("cache", "status", "--json", "--kv-cache-dir", kept);
        return JsonMapper.shared().readTree(outcome.out()).at("/models/0");
    }
}
