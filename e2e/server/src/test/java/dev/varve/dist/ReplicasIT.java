package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;
import dev.varve.testkit.MetricsText;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A server with two replicas, each in a process of its own: one is killed, both are replaced. */
@Timeout(180)
class ReplicasIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir static Path folder;

    private static Varve varve;
    private static Path model;

    @BeforeAll
    static void write() throws Exception {
        varve = new Varve(Varve.INSTALLATION, folder);
        model = Qwen35Model.odd(8).withType(TensorType.Q4_0).write(folder);
    }

    @AfterAll
    static void stop() {
        HTTP.close();
    }

    /** Starts a server with two replicas, each in a process of its own. */
    private static Varve.Server twoProcesses(int parallel) throws IOException {
        return varve.serve(
                "--model",
                model,
                "--max-ctx",
                1024,
                "--threads",
                1,
                "--parallel",
                parallel,
                "--replicas",
                2,
                "--target-device",
                "cpu:0@process");
    }

    private static JsonNode get(Varve.Server server, String path) {
        try {
            return JSON.readTree(text(server, path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String text(Varve.Server server, String path)
            throws IOException, InterruptedException {
        return HTTP.send(
                        HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static JsonNode replicas(Varve.Server server) {
        return get(server, "/props").at("/runtime/replicas");
    }

    /** Streams an answer; runs an action after its first text. */
    private static String streamed(Varve.Server server, Runnable between) throws Exception {
        String body =
                JSON.writeValueAsString(
                        JSON.createObjectNode()
                                .put("prompt", "Tell me more of it")
                                .put("max_tokens", 400)
                                .put("temperature", 1.2)
                                .put("seed", 7)
                                .put("ignore_eos", true)
                                .put("stream", true));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
        StringBuilder text = new StringBuilder();
        boolean acted = false;
        HttpResponse<InputStream> answer =
                HTTP.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.startsWith("data: {")) {
                    continue;
                }
                JsonNode event = JSON.readTree(line.substring("data: ".length()));
                assertTrue(event.path("error").isMissingNode(), line);
                text.append(event.at("/choices/0/text").asString(""));
                if (!acted && !text.isEmpty()) {
                    acted = true;
                    between.run();
                }
            }
        }
        assertTrue(acted, "the answer has text");
        return text.toString();
    }

    @Test
    void streamFailsOverWhenTheProcessOfItsReplicaIsKilled() throws Exception {
        try (Varve.Server server = twoProcesses(2)) {
            String undisturbed = streamed(server, () -> {});
            assertEquals(400, replicas(server).at("/0/generated_tokens").intValue());
            // They were started in the order of the replicas.
            ProcessHandle victim =
                    server.children().stream()
                            .min(Comparator.comparingLong(ProcessHandle::pid))
                            .orElseThrow();

            String text =
                    streamed(
                            server,
                            () -> {
                                assertEquals(1, replicas(server).at("/0/running").intValue());
                                victim.destroyForcibly();
                                Await.until(
                                        "its requests have moved",
                                        () ->
                                                replicas(server).at("/0/moved_requests").intValue()
                                                        == 1);
                                assertEquals(
                                        "ok", get(server, "/health").get("status").stringValue());
                            });

            assertEquals(undisturbed, text);
            Await.until(
                    "the process is back",
                    () -> replicas(server).at("/0/state").stringValue().equals("ready"));
            String metrics = text(server, "/metrics");
            assertEquals(
                    1,
                    MetricsText.parse(metrics)
                            .value("varve_replica_moved_requests_total", "replica", "0"),
                    metrics);
            assertEquals(4, get(server, "/slots").size());
            JsonNode status = get(server, "/status");
            assertEquals(1, status.at("/replicas/0/moved_requests").intValue());
            assertEquals(1, status.at("/placement/shards/1/replica").intValue());
            assertEquals("[0,1]", status.at("/placement/memories/0/shards").toString());
            assertTrue(server.err().contains("2 replicas are ready after"), server.err());
        }
    }

    private static String order(Varve.Server server, String path)
            throws IOException, InterruptedException {
        return HTTP.send(
                        HttpRequest.newBuilder(URI.create(server.url() + path))
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** Streams answers until a test ends it, or one differs from the expected one. */
    private static final class Client {
        private final Varve.Server server;
        private final String expected;
        private final AtomicInteger right = new AtomicInteger();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private volatile boolean over;

        Client(Varve.Server server, String expected) {
            this.server = server;
            this.expected = expected;
        }

        void run() {
            try {
                while (!over && failure.get() == null) {
                    assertEquals(expected, streamed(server, () -> {}));
                    right.incrementAndGet();
                }
            } catch (Exception | AssertionError e) {
                // The test's thread reports the first one.
                failure.compareAndSet(null, e);
            }
        }

        /** Waits for one more right answer. */
        void awaitNext() {
            int before = right.get();
            Await.until(
                    "one more right answer",
                    () -> {
                        requireNoFailure();
                        return right.get() > before;
                    });
        }

        void requireNoFailure() {
            if (failure.get() != null) {
                throw new AssertionError("after " + right + " right answers", failure.get());
            }
        }
    }

    @Test
    void processesAreReplacedInTurnUnderLoad() throws Exception {
        try (Varve.Server server = twoProcesses(4)) {
            String expected = streamed(server, () -> {});
            Set<Long> before = pids(server);
            Client client = new Client(server, expected);
            List<Thread> threads =
                    IntStream.range(0, 2)
                            .mapToObj(i -> Thread.ofVirtual().start(client::run))
                            .toList();

            for (int id = 0; id < 2; id++) {
                String running = "/" + id + "/running";
                Await.until(
                        "the replica has requests",
                        () -> {
                            client.requireNoFailure();
                            return replicas(server).at(running).intValue() > 0;
                        });
                JsonNode drained = JSON.readTree(order(server, "/replicas/" + id + "/drain"));
                assertEquals("drained", drained.path("state").asString(""), drained.toString());
                assertEquals(1, server.children().size(), "its process has ended");
                client.awaitNext();
                JsonNode resumed = JSON.readTree(order(server, "/replicas/" + id + "/resume"));
                assertEquals("ready", resumed.path("state").asString(""), resumed.toString());
            }
            client.awaitNext();
            client.over = true;
            for (Thread thread : threads) {
                thread.join();
            }

            client.requireNoFailure();
            JsonNode last = replicas(server);
            int moved =
                    last.at("/0/moved_requests").intValue()
                            + last.at("/1/moved_requests").intValue();
            assertTrue(moved > 0, last.toString());
            Set<Long> after = pids(server);
            assertEquals(2, after.size());
            assertTrue(Collections.disjoint(before, after), before + " and " + after);
        }
    }

    private static Set<Long> pids(Varve.Server server) {
        return server.children().stream().map(ProcessHandle::pid).collect(Collectors.toSet());
    }

    @Test
    void replicasOfOneProcessShareTheWeights() throws Exception {
        try (Varve.Server server =
                varve.serve(
                        "--model",
                        model,
                        "--max-ctx",
                        512,
                        "--replicas",
                        2,
                        "--target-device",
                        "cpu:0")) {
            JsonNode runtime = get(server, "/props").get("runtime");
            JsonNode shards = runtime.get("shards");

            assertEquals(2, shards.size(), runtime.toString());
            // A head that is tied to the embedding has a repacked copy; two copies of all would
            // be twice as much.
            assertTrue(
                    runtime.get("weight_bytes").longValue() < Files.size(model) * 3 / 2,
                    runtime.toString());
            assertEquals(shards.at("/0/weight_bytes"), shards.at("/1/weight_bytes"));
            assertTrue(server.err().contains("with one copy of the weights"), server.err());
            JsonNode memory = get(server, "/status").at("/placement/memories/0");
            assertEquals(runtime.get("weight_bytes"), memory.get("weight_bytes"));
            assertEquals(
                    runtime.get("kv_bytes").longValue(),
                    memory.get("kv_bytes").longValue() + memory.get("state_bytes").longValue());
        }
    }
}
