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

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/** A LoRA adapter that is added and removed while a server with several processes runs. */
@Timeout(180)
class LoraIT {
    private static final JsonMapper JSON = new JsonMapper();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir static Path folder;

    private static Varve varve;
    private static Path model;
    private static Path adapters;
    private static Path adapter;

    /** Text of a server that was started with the adapter. */
    private static String expected;

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
        try (Varve.Server server = varve.serve("--model", model, "--lora", adapter + "=0.5")) {
            expected = text(server, "");
        }
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

    private static Varve.Server serve(String devices) throws IOException {
        return varve.serve("--model", model, "--target-devices", devices, "--lora-dir", adapters);
    }

    private static String adapted(Varve.Server server) throws Exception {
        return text(server, ", \"lora\": [{\"id\": 0, \"scale\": 0.5}]");
    }

    private static void add(Varve.Server server) throws Exception {
        JsonNode added = ok(server, "POST", "/lora-adapters/add", "{\"path\": \"style.gguf\"}");
        assertEquals(0, added.get("id").intValue());
    }

    private static void remove(Varve.Server server) throws Exception {
        ok(server, "DELETE", "/lora-adapters/0", "");
        assertEquals(0, ok(server, "GET", "/lora-adapters", "").size());
    }

    @Test
    void anAddedAdapterAnswersAsOneFromTheStart() throws Exception {
        try (Varve.Server server = serve("cpu:0,cpu:0@process")) {
            String plain = text(server, "");
            assertNotEquals(expected, plain);

            add(server);

            assertEquals(plain, text(server, ""));
            assertEquals(expected, adapted(server));

            server.children().forEach(ProcessHandle::destroyForcibly);
            assertEquals(expected, adapted(server));

            remove(server);
            assertEquals(plain, text(server, ""));
            HttpResponse<String> refused =
                    send(server, "POST", "/lora-adapters/add", "{\"path\": \"" + model + "\"}");
            assertEquals(400, refused.statusCode(), refused.body());
            assertTrue(refused.body().contains("--lora-dir"), refused.body());
        }
    }

    /** The shard process has folders of its own, as on another host. */
    @Test
    void anAddedAdapterAnswersOverGrpcAsOneFromTheStart() throws Exception {
        Path host = folder.resolve("host");
        Path copied = Files.createDirectories(host.resolve("adapters/below"));
        Files.copy(model, host.resolve(model.getFileName()));
        Files.copy(adapter, copied.resolve(adapter.getFileName()));
        try (Varve.Server shard =
                        varve.shard(
                                "grpc:127.0.0.1:0",
                                "--models",
                                host,
                                "--lora-dir",
                                host.resolve("adapters"));
                Varve.Server server = serve("cpu:0,cpu:0@" + shard.url())) {
            String plain = text(server, "");
            assertNotEquals(expected, plain);

            add(server);
            assertEquals(plain, text(server, ""));
            assertEquals(expected, adapted(server));

            remove(server);
            assertEquals(plain, text(server, ""));

            Files.delete(copied.resolve(adapter.getFileName()));
            HttpResponse<String> refused =
                    send(server, "POST", "/lora-adapters/add", "{\"path\": \"style.gguf\"}");
            assertTrue(refused.statusCode() >= 400, refused.body());
            assertTrue(refused.body().contains(shard.url()), refused.body());
            assertTrue(refused.body().contains("style.gguf"), refused.body());
            assertEquals(plain, text(server, ""));
        }
    }
}
