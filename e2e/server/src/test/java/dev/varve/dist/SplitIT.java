package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;

import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.MetricsText;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The assembled server with a model over two processes, and what happens when one of them dies. */
@Timeout(180)
class SplitIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String TWO = "cpu:0,cpu:0@process";
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir static Path folder;

    private static Varve varve;
    private static Path model;
    private static Varve.Server split;

    @BeforeAll
    static void start() throws Exception {
        varve = new Varve(Varve.INSTALLATION, folder);
        model = Qwen35Model.odd(8).withType(TensorType.Q4_0).write(folder);
        split = serve(varve, "--target-devices", TWO);
    }

    @AfterAll
    static void stop() {
        split.close();
        HTTP.close();
    }

    private static Varve.Server serve(Varve launcher, Object... arguments) throws IOException {
        Stream<Object> common =
                Stream.of(
                        "--model",
                        model,
                        "--max-ctx",
                        2048,
                        "--threads",
                        1,
                        "--cache-type-k",
                        "q8_0",
                        "--cache-type-v",
                        "q8_0");
        return launcher.serve(Stream.concat(common, Stream.of(arguments)).toArray());
    }

    @Test
    void twoProcessesMatchOneDevice() throws Exception {
        try (Varve.Server whole = serve(varve, "--target-device", "cpu:0")) {
            assertEquals(streamed(whole, 40, () -> {}), streamed(split, 40, () -> {}));
        }
    }

    @Test
    void propsAndMetricsShowBothShards() throws Exception {
        streamed(split, 5, () -> {});

        JsonNode shards = JSON.readTree(get(split, "/props").body()).at("/runtime/shards");
        String metrics = get(split, "/metrics").body();

        assertEquals(2, shards.size(), shards.toString());
        assertEquals("cpu:0", shards.at("/0/device").stringValue());
        assertEquals("cpu:0@process", shards.at("/1/device").stringValue());
        assertEquals(shards.at("/0/end_layer"), shards.at("/1/first_layer"));
        for (JsonNode shard : shards) {
            assertTrue(shard.get("kv_bytes").longValue() > 0, shard.toString());
            assertTrue(shard.get("forwards").longValue() > 0, shard.toString());
            assertTrue(shard.get("boundary_ms").doubleValue() > 0, shard.toString());
        }
        assertTrue(shards.at("/1/received_bytes").longValue() > 0, shards.toString());
        MetricsText told = MetricsText.parse(metrics);
        assertEquals(
                1, told.value("varve_shard_up", "shard", "1", "device", "cpu:0@process"), metrics);
        assertTrue(told.value("varve_shard_wire_bytes_total", "shard", "1") > 0, metrics);
        assertEquals(List.of(), told.samples("varve_shard_wire_bytes_total", "shard", "0"));
    }

    @Test
    void planIsReportedAtStart() throws Exception {
        String err = split.err();

        assertTrue(err.contains(" INFO  layers 0 to 2 on cpu:0: weights "), err);
        assertTrue(err.contains(" INFO  layers 3 to 5 on cpu:0@process: weights "), err);
        assertTrue(err.contains(" INFO  2 shards are ready after "), err);
    }

    @Test
    void streamContinuesWhenItsShardIsKilled() throws Exception {
        try (Varve.Server own = serve(varve, "--target-devices", TWO)) {
            String undisturbed = streamed(own, 200, () -> {});
            ProcessHandle child = own.children().getFirst();

            String text =
                    streamed(
                            own,
                            200,
                            () -> {
                                child.destroyForcibly();
                                Await.until(
                                        "a shard is missing",
                                        () -> get(own, "/health").statusCode() == 503);
                                JsonNode health = JSON.readTree(get(own, "/health").body());
                                assertEquals("degraded", health.get("status").stringValue());
                                assertEquals(
                                        "cpu:0@process",
                                        health.at("/missing_shards/0/device").stringValue());
                                assertEquals(3, health.at("/missing_shards/0/layers/0").intValue());
                            });

            assertEquals(undisturbed, text);
            Await.until("it is ready", () -> get(own, "/health").statusCode() == 200);
            String metrics = get(own, "/metrics").body();
            assertEquals(1, MetricsText.parse(metrics).value("varve_replays_total"), metrics);
            assertTrue(own.err().contains("killed by signal 9"), own.err());
        }
    }

    @ParameterizedTest
    @CsvSource({"kill", "terminate"})
    @ByDay(1)
    void noProcessIsLeftWhenTheServerEnds(String how) throws Exception {
        Path work = folder.resolve("work-" + how);
        Set<Path> before = sharedMemory();
        try (Varve.Server own =
                serve(varve, "--target-devices", TWO, "--target-shard-ipc-work-dir", work)) {
            List<ProcessHandle> children = own.children();
            assertEquals(1, children.size());
            streamed(own, 5, () -> {});

            if (how.equals("kill")) {
                own.kill();
            } else {
                own.terminate();
            }

            assertTrue(own.ends());
            Await.until(
                    "the children end", () -> children.stream().noneMatch(ProcessHandle::isAlive));
            Await.until("the folder is empty", () -> list(work).isEmpty());
            Await.until("shared memory is removed", () -> before.containsAll(sharedMemory()));
        }
    }

    @Test
    void listeningProcessServesItsShard() throws Exception {
        String address = "unix:" + folder.resolve("box");
        try (Varve.Server box = varve.shard(address, "--models", folder);
                Varve.Server own =
                        serve(varve, "--target-devices", "cpu:0@" + address + ",cpu:0")) {
            assertEquals(address, box.url());
            assertEquals(streamed(split, 40, () -> {}), streamed(own, 40, () -> {}));
        }
    }

    @Test
    @Tag("nightly")
    void shardErrorIsOneMessage() throws Exception {
        Path models = Files.createDirectory(folder.resolve("other"));
        Path token = secret("token", "right\n");
        Path guess = secret("guess", "wrong\n");
        String address = "unix:" + folder.resolve("strict");
        try (Varve.Server box =
                varve.shard(
                        address,
                        "--models",
                        models,
                        "--device",
                        "cpu:0",
                        "--shard-token-file",
                        token)) {
            refused("token", "cpu:0@" + address, guess);
            refused("cpu:7", "cpu:7@" + address, token);
            refused("this shard has no such model", "cpu:0@" + address, token);

            Path other = Qwen35Model.odd(9).withType(TensorType.Q4_0).write(models);
            Files.move(other, models.resolve(model.getFileName()));
            refused("different files: digest", "cpu:0@" + address, token);

            tune(Files.copy(model, models.resolve(model.getFileName()), REPLACE_EXISTING));
            refused(": expected SHA-256 ", "cpu:0@" + address, token);
            assertTrue(box.err().contains("was rejected"), box.err());
        }
        refused("no shard responds", "cpu:0@" + address, token);
    }

    /** Changes the last tensor, and nothing of the header. */
    private static void tune(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        // The file ends with up to 31 bytes of padding.
        bytes[bytes.length - 40] ^= 1;
        Files.write(file, bytes);
    }

    private static Path secret(String name, String text) throws Exception {
        Path file = Files.writeString(folder.resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static void refused(String expected, String device, Path token) throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        "generate",
                        "--model",
                        model,
                        "--prompt",
                        "Hi",
                        "--target-devices",
                        "cpu:0," + device,
                        "--shard-token-file",
                        token);

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains(expected), outcome.err());
        assertFalse(outcome.err().contains("\tat "), outcome.err());
    }

    @Test
    void planPrintsTheShards() throws Exception {
        Varve.Outcome outcome =
                varve.run("plan", "--model", model, "--target-devices", "cpu:0,cpu:0");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().contains("cpu:0 layers [0, 3): weights "), outcome.out());
        assertTrue(outcome.out().contains("cpu:0 layers [3, 6): weights "), outcome.out());
        assertTrue(outcome.out().contains("expected: prefill "), outcome.out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"1,2,3", "0,1", "1,-1", "1,x", "1,", "nan,1", "''"})
    @Tag("nightly")
    void wrongSplitIsAUsageError(String weights) throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        "plan",
                        "--model",
                        model,
                        "--target-devices",
                        "cpu:0,cpu:0",
                        "--target-layer-split",
                        weights);

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().startsWith("varve: --target-layer-split"), outcome.err());
    }

    @Test
    @Tag("nightly")
    void flightRecorderRecordsForwardBoundaryAndTransport() throws Exception {
        Path recordings = Files.createDirectory(folder.resolve("jfr"));
        Varve.Outcome outcome =
                varve.with("VARVE_AOT", "off")
                        .with(
                                "VARVE_JAVA_OPTS",
                                "-XX:StartFlightRecording:filename=" + recordings + "/")
                        .run(
                                "generate",
                                "--model",
                                model,
                                "--prompt",
                                "Hi",
                                "--max-tokens",
                                4,
                                "--target-devices",
                                TWO);
        assertEquals(0, outcome.status(), outcome.toString());

        List<RecordedEvent> events = list(recordings).stream().flatMap(SplitIT::events).toList();

        assertEquals(Set.of("cpu:0", "cpu:0@process"), devices(events, "varve.ShardForward"));
        assertEquals(Set.of("cpu:0@process"), devices(events, "varve.ShardTransport"));
        RecordedEvent boundary = named(events, "varve.ShardBoundary").findFirst().orElseThrow();
        assertEquals("OUT", boundary.getString("direction"));
        assertEquals(0, boundary.getInt("firstLayer"));
        assertEquals(3, boundary.getInt("endLayer"));
        assertTrue(boundary.getLong("bytes") > 0);
    }

    private static Stream<RecordedEvent> events(Path recording) {
        try {
            return RecordingFile.readAllEvents(recording).stream();
        } catch (IOException e) {
            throw new AssertionError(recording.toString(), e);
        }
    }

    private static Stream<RecordedEvent> named(List<RecordedEvent> events, String name) {
        return events.stream().filter(event -> event.getEventType().getName().equals(name));
    }

    private static Set<String> devices(List<RecordedEvent> events, String name) {
        return named(events, name)
                .map(event -> event.getString("device"))
                .collect(Collectors.toSet());
    }

    /**
     * Streams an answer of {@code tokens} tokens; {@code between} runs once a part of it is there.
     */
    private static String streamed(Varve.Server server, int tokens, Action between)
            throws Exception {
        StringBuilder text = new StringBuilder();
        boolean acted = false;
        OpenAIClient client =
                OpenAIOkHttpClient.builder()
                        .baseUrl(server.url() + "/v1")
                        .apiKey("none")
                        .maxRetries(0)
                        .build();
        ChatCompletionCreateParams request =
                ChatCompletionCreateParams.builder()
                        .model("gpt-4o")
                        .temperature(0.0)
                        .maxCompletionTokens(tokens)
                        .putAdditionalBodyProperty("ignore_eos", JsonValue.from(true))
                        .addUserMessage("Tell me more")
                        .build();
        try (StreamResponse<ChatCompletionChunk> chunks =
                client.chat().completions().createStreaming(request)) {
            for (ChatCompletionChunk chunk :
                    (Iterable<ChatCompletionChunk>) chunks.stream()::iterator) {
                chunk.choices().forEach(choice -> choice.delta().content().ifPresent(text::append));
                if (!acted && !text.isEmpty()) {
                    acted = true;
                    between.run();
                }
            }
        } finally {
            client.close();
        }
        assertTrue(acted, "the answer has text");
        return text.toString();
    }

    private interface Action {
        void run() throws Exception;
    }

    private static HttpResponse<String> get(Varve.Server server, String path) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    /** Files of Varve in shared memory; other tests of this machine may have some, too. */
    private static Set<Path> sharedMemory() throws IOException {
        return list(Path.of("/dev/shm")).stream()
                .filter(file -> file.getFileName().toString().startsWith("varve"))
                .collect(Collectors.toSet());
    }
}
