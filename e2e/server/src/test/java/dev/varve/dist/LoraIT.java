package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** A LoRA adapter of a server with a child process, added and removed while it runs. */
@Timeout(180)
class LoraIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir static Path folder;

    private static Varve varve;
    private static Path model;
    private static Path adapters;
    private static Path adapter;

    @BeforeAll
    static void write() throws Exception {
        varve = new Varve(Varve.INSTALLATION, folder);
        Qwen35Model spec = Qwen35Model.odd(8).withType(TensorType.Q4_0);
        model = spec.write(folder);
        adapters = Files.createDirectories(folder.resolve("adapters"));
        adapter = adapters.resolve("style.gguf");
        GgufWriter writer = new GgufWriter();
        writer.put("general.type", GgufValue.of("adapter"));
        writer.put("general.architecture", GgufValue.of("qwen35"));
        writer.put("adapter.type", GgufValue.of("lora"));
        for (int layer = 0; layer < spec.size().layers(); layer++) {
            String weight = "blk." + layer + ".ffn_down.weight";
            add(writer, weight + ".lora_a", spec.size().feedForward(), 2);
            add(writer, weight + ".lora_b", 2, spec.size().embedding());
        }
        writer.write(adapter);
    }

    private static void add(GgufWriter writer, String name, long columns, long rows) {
        SplittableRandom random = new SplittableRandom(name.hashCode());
        TensorData.Floats values =
                new TensorData.Floats(
                        (row, target) -> {
                            for (int i = 0; i < target.length; i++) {
                                target[i] = (float) random.nextGaussian();
                            }
                        });
        writer.tensor(name, TensorType.F32, List.of(columns, rows), values);
    }

    @AfterAll
    static void stop() {
        HTTP.close();
    }

    private static HttpResponse<String> send(
            Varve.Server server, String method, String path, String body) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(server.url() + path))
                        .header("Content-Type", "application/json")
                        .method(method, HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode ok(Varve.Server server, String method, String path, String body)
            throws Exception {
        HttpResponse<String> response = send(server, method, path, body);
        assertEquals(200, response.statusCode(), response.body());
        return JSON.readTree(response.body());
    }

    private static String text(Varve.Server server, String lora) throws Exception {
        String body =
                "{\"prompt\": \"Tell me more of it\", \"max_tokens\": 24, \"temperature\": 0,"
                        + " \"ignore_eos\": true"
                        + lora
                        + "}";
        return ok(server, "POST", "/v1/completions", body).at("/choices/0/text").asString();
    }

    @Test
    void anAddedAdapterAnswersAsOneFromTheStart() throws Exception {
        String expected;
        try (Varve.Server server = varve.serve("--model", model, "--lora", adapter + "=0.5")) {
            expected = text(server, "");
        }
        try (Varve.Server server =
                varve.serve(
                        "--model",
                        model,
                        "--target-devices",
                        "cpu:0,cpu:0@process",
                        "--lora-dir",
                        adapters)) {
            String plain = text(server, "");
            assertNotEquals(expected, plain);

            JsonNode added = ok(server, "POST", "/lora-adapters/add", "{\"path\": \"style.gguf\"}");

            assertEquals(0, added.get("id").intValue());
            assertEquals(plain, text(server, ""));
            assertEquals(expected, text(server, ", \"lora\": [{\"id\": 0, \"scale\": 0.5}]"));

            server.children().forEach(ProcessHandle::destroyForcibly);
            assertEquals(expected, text(server, ", \"lora\": [{\"id\": 0, \"scale\": 0.5}]"));

            ok(server, "DELETE", "/lora-adapters/0", "");
            assertEquals(0, ok(server, "GET", "/lora-adapters", "").size());
            assertEquals(plain, text(server, ""));
            HttpResponse<String> refused =
                    send(server, "POST", "/lora-adapters/add", "{\"path\": \"" + model + "\"}");
            assertEquals(400, refused.statusCode(), refused.body());
            assertTrue(refused.body().contains("--lora-dir"), refused.body());
        }
    }
}
