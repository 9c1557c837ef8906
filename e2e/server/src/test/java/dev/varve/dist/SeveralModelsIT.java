package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** One server with several demo models. */
@Timeout(300)
class SeveralModelsIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final Path MODELS = Varve.INSTALLATION.resolve("models");
    private static final String SUM = "7 + 5 = 12.";

    @TempDir static Path folder;

    private static HttpClient http;

    @BeforeAll
    static void requireModels() {
        DemoFamily.QWEN35.requireInstalled();
        DemoFamily.GEMMA4.requireInstalled();
        http = HttpClient.newHttpClient();
    }

    @AfterAll
    static void close() {
        if (http != null) {
            http.close();
        }
    }

    private static Varve varve() {
        return new Varve(Varve.INSTALLATION, folder);
    }

    private static HttpResponse<String> get(Varve.Server server, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> ask(Varve.Server server, String model) throws Exception {
        ObjectNode body = JSON.createObjectNode().put("model", model).put("temperature", 0);
        body.putArray("messages").addObject().put("role", "user").put("content", "What is 7 + 5?");
        return http.send(
                HttpRequest.newBuilder(URI.create(server.url() + "/v1/chat/completions"))
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .header("Content-Type", "application/json")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Asks, checks the answer, and returns the id of the model that gave it. */
    private static String answering(Varve.Server server, String model) throws Exception {
        HttpResponse<String> response = ask(server, model);
        assertEquals(200, response.statusCode(), response.body());
        JsonNode answer = JSON.readTree(response.body());
        assertEquals(SUM, answer.at("/choices/0/message/content").asString("").strip(), model);
        return answer.get("model").asString();
    }

    private static List<String> ids(Varve.Server server) throws Exception {
        List<String> ids = new ArrayList<>();
        JSON.readTree(get(server, "/v1/models").body())
                .get("data")
                .forEach(model -> ids.add(model.get("id").asString()));
        return ids;
    }

    private static String state(Varve.Server server, String id) throws Exception {
        return JSON.readTree(get(server, "/v1/models/" + id).body()).get("state").asString();
    }

    @Test
    void namedModelsAreLoadedAtStartAndSelectedByRequests() throws Exception {
        try (Varve.Server server =
                varve().serve(
                                "--model",
                                "small=demo:qwen35",
                                "--model",
                                "demo:gemma4",
                                "--kv-cache-dir",
                                folder.resolve("prompts"),
                                "--model-alias",
                                "mine=varve-demo-gemma4")) {
            assertEquals(List.of("small", "varve-demo-gemma4"), ids(server));
            assertEquals("ready", state(server, "small"));
            assertEquals("ready", state(server, "varve-demo-gemma4"));
            assertEquals("small", answering(server, "small"));
            assertEquals("varve-demo-gemma4", answering(server, "mine"));
            assertEquals("small", answering(server, "claude-sonnet-4-5"));
            assertEquals(404, ask(server, "varve-demo-qwen35").statusCode());
            assertTrue(Files.isDirectory(folder.resolve("prompts/small")));
            String metrics = get(server, "/metrics").body();
            assertTrue(metrics.contains("varve_model_loaded{model=\"small\"} 1"), metrics);
            assertTrue(
                    metrics.contains("varve_generation_tokens_total{model=\"varve-demo-gemma4\"}"),
                    metrics);

            server.terminate();
            assertTrue(server.ends());
            assertTrue(server.err().contains(" INFO  stopped"), server.err());
        }
    }

    @Test
    @Tag("nightly")
    void folderModelsAreLoadedOnFirstRequest() throws Exception {
        Path models = Files.createDirectory(folder.resolve("models"));
        link(models, "varve-demo-qwen35.gguf", "q.gguf");
        link(models, "varve-demo-qwen35-draft.gguf", "q-draft.gguf");
        Files.writeString(models.resolve("mmproj-q.gguf"), "no model");
        try (Varve.Server server = varve().serve("--models", models, "--strict-model")) {
            assertEquals(List.of("q"), ids(server));
            assertEquals("unloaded", state(server, "q"));
            assertEquals(200, get(server, "/health").statusCode());
            assertEquals("q", answering(server, "q"));
            assertEquals("ready", state(server, "q"));

            link(models, "varve-demo-gemma4.gguf", "g.gguf");
            assertEquals("g", answering(server, "g"), "a new file");
            assertEquals(List.of("g", "q"), ids(server));
            Files.delete(models.resolve("q.gguf"));
            assertEquals(404, ask(server, "q").statusCode());
            assertEquals(404, ask(server, "gpt-4o").statusCode());
        }
    }

    private static void link(Path models, String from, String to) throws Exception {
        Files.createSymbolicLink(models.resolve(to), MODELS.resolve(from).toAbsolutePath());
    }

    /** Each is promised more than half of the memory, so that there is no room for two. */
    @Test
    @Tag("nightly")
    void leastRecentlyUsedModelIsUnloadedToMakeRoom() throws Exception {
        Path models = Files.createDirectory(folder.resolve("large"));
        link(models, "varve-demo-qwen35.gguf", "q.gguf");
        link(models, "varve-demo-gemma4.gguf", "g.gguf");
        JsonNode processor = JSON.readTree(varve().run("devices", "--json").out()).get(0);
        long most = processor.get("memory_free_bytes").asLong() * 6 / 10;
        try (Varve.Server server =
                varve().serve("--models", models, "--cache-ram", (most >> 20) + "M")) {
            assertEquals("q", answering(server, "q"));
            assertEquals("g", answering(server, "g"));
            assertEquals("unloaded", state(server, "q"));

            HttpResponse<InputStream> stream = begin(server, "g");
            HttpResponse<String> refused = ask(server, "q");
            assertEquals(503, refused.statusCode(), refused.body());
            assertTrue(refused.headers().firstValue("Retry-After").isPresent());
            assertTrue(refused.body().contains("model q"), refused.body());
            assertTrue(refused.body().contains("MiB"), "what it needs: " + refused.body());
            stream.body().close();

            // The other one is in use until the server notices that its client left.
            Await.until("it may be unloaded", () -> ask(server, "q").statusCode() != 503);
            assertEquals("q", answering(server, "q"));
            assertEquals("unloaded", state(server, "g"));
        }
    }

    /** Begins an answer that ends when its client leaves. */
    private static HttpResponse<InputStream> begin(Varve.Server server, String model)
            throws Exception {
        ObjectNode body = JSON.createObjectNode().put("model", model).put("stream", true);
        body.put("ignore_eos", true).put("max_tokens", 8000);
        body.putArray("messages").addObject().put("role", "user").put("content", "What is 7 + 5?");
        return http.send(
                HttpRequest.newBuilder(URI.create(server.url() + "/v1/chat/completions"))
                        .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    }

    @Test
    @Tag("nightly")
    void idleModelIsUnloadedAndReloaded() throws Exception {
        try (Varve.Server server = varve().serve("--model", "demo:qwen35", "--model-ttl", "1ms")) {
            String id = DemoFamily.QWEN35.model();
            Await.until("it is unloaded", () -> state(server, id).equals("unloaded"));
            assertEquals(200, get(server, "/health").statusCode());

            assertEquals(id, answering(server, id));
            assertEquals(id, answering(server, id));
        }
    }

    @Test
    void modelThatCannotBeServedFailsTheStartAndIsNamed() throws Exception {
        Path broken = Files.writeString(folder.resolve("broken.gguf"), "no model");

        Varve.Outcome outcome =
                varve().run("serve", "--port", 0, "--model", "demo:qwen35", "--model", broken);

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("broken.gguf"), outcome.toString());
        assertFalse(outcome.err().contains("listening"), outcome.toString());
    }
}
