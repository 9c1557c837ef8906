package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Computed prompts that outlive the server, however the layers are spread afterwards. */
@Timeout(180)
class DiskCacheIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final List<String> ALPHABET =
            List.of("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta");

    /** One home for all, so that the record of the start is made once. */
    @TempDir static Path home;

    @TempDir Path folder;

    private record Answer(String text, int prompt, int cached, String source) {}

    @AfterAll
    static void stop() {
        HTTP.close();
    }

    private Varve.Server serve(String model, Object... arguments) throws IOException {
        Stream<Object> common =
                Stream.of(
                        "--model",
                        Varve.INSTALLATION.resolve("models/varve-demo-" + model + ".gguf"),
                        "--threads",
                        1,
                        "--cache-ram",
                        "64M",
                        "--cache-type-k",
                        "q8_0",
                        "--cache-type-v",
                        "q8_0");
        return new Varve(Varve.INSTALLATION, home)
                .serve(Stream.concat(common, Stream.of(arguments)).toArray());
    }

    private Varve.Server keeping(String model, Object... arguments) throws IOException {
        return serve(
                model,
                Stream.concat(
                                Stream.of("--kv-cache-dir", folder.resolve("kept")),
                                Stream.of(arguments))
                        .toArray());
    }

    /** A question behind a system prompt of some hundred words. */
    private static Answer ask(Varve.Server server, int question) throws Exception {
        Random random = new Random(11);
        String system =
                IntStream.range(0, 300)
                        .mapToObj(i -> ALPHABET.get(random.nextInt(ALPHABET.size())))
                        .collect(Collectors.joining(" "));
        String body =
                JSON.createObjectNode()
                        .put("max_tokens", 12)
                        .put("temperature", 0)
                        .set(
                                "messages",
                                JSON.createArrayNode()
                                        .add(
                                                JSON.createObjectNode()
                                                        .put("role", "system")
                                                        .put("content", system))
                                        .add(
                                                JSON.createObjectNode()
                                                        .put("role", "user")
                                                        .put("content", "question " + question)))
                        .toString();
        HttpResponse<String> response =
                HTTP.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/v1/chat/completions"))
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .header("Content-Type", "application/json")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertEquals(200, response.statusCode(), response.body());
        JsonNode answer = JSON.readTree(response.body());
        return new Answer(
                answer.at("/choices/0/message/content").asString(""),
                answer.at("/usage/prompt_tokens").asInt(),
                answer.at("/usage/prompt_tokens_details/cached_tokens").asInt(),
                answer.at("/timings/cache_source").asString(""));
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
        return all.stream().limit(Boolean.getBoolean("varve.test.thorough") ? 3 : 1);
    }

    @ParameterizedTest
    @MethodSource("models")
    void aPromptIsRestoredUnderAnySplit(String model) throws Exception {
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
            server.terminate();
            assertTrue(server.ends());
        }
        try (Varve.Server server = keeping(model)) {
            assertRestored(first, ask(server, 1));
        }
        try (Varve.Server server = serve(model)) {
            other = ask(server, 2);
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
    void aServerThatWasKilledLeavesItsPrompts() throws Exception {
        Answer first;
        try (Varve.Server server = keeping("qwen35")) {
            first = ask(server, 1);
            awaitWritten(server);
            server.signal("KILL");
        }
        try (Varve.Server server = keeping("qwen35")) {
            assertRestored(first, ask(server, 1));
        }
    }

    /** Polls what the server tells of its disk. */
    private static void awaitWritten(Varve.Server server) throws Exception {
        while (true) {
            HttpResponse<String> metrics =
                    HTTP.send(
                            HttpRequest.newBuilder(URI.create(server.url() + "/metrics")).build(),
                            HttpResponse.BodyHandlers.ofString());
            String body = metrics.body();
            String held = value(body, "varve_prefix_cache_entries");
            if (!held.equals("0") && held.equals(value(body, "varve_prefix_disk_entries"))) {
                return;
            }
        }
    }

    private static String value(String metrics, String name) {
        return metrics.lines()
                .filter(line -> line.startsWith(name + " "))
                .map(line -> line.substring(name.length() + 1))
                .findFirst()
                .orElse("0");
    }

    @Test
    void aSecondServerMayReadButNotWrite() throws Exception {
        try (Varve.Server server = keeping("qwen35")) {
            Answer first = ask(server, 1);
            awaitWritten(server);
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
    void flagsThatMakeNoSenseAreRefused() throws Exception {
        Varve varve = new Varve(Varve.INSTALLATION, home);
        Path key = Files.writeString(folder.resolve("key"), "short");

        Varve.Outcome alone = varve.run("serve", "--kv-cache-budget", "1G");
        Varve.Outcome size =
                varve.run("serve", "--kv-cache-dir", folder, "--kv-cache-budget", "much");
        Varve.Outcome ram =
                varve.run("serve", "--kv-cache-dir", folder.resolve("k"), "--cache-ram", "0");
        Varve.Outcome keyless =
                varve.run("serve", "--kv-cache-dir", folder.resolve("k"), "--cache-key-file", key);

        assertTrue(alone.err().contains("--kv-cache-budget needs --kv-cache-dir"), alone.err());
        assertTrue(size.err().contains("--kv-cache-budget: expected"), size.err());
        assertTrue(ram.err().contains("--cache-ram"), ram.err());
        assertTrue(keyless.err().contains("--cache-key-file"), keyless.err());
    }
}
