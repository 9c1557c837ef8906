package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.EncoderModel;
import dev.varve.testkit.Qwen3Model;
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
import java.nio.file.Path;

/** Models for vectors and scores, alone and beside one that generates text. */
@Timeout(180)
class EmbeddingsIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final int MEAN = 1;
    private static final int RANK = 4;

    @TempDir static Path folder;

    private static Varve varve;
    private static Path chat;
    private static Path bert;
    private static Path reranker;

    @BeforeAll
    static void write() throws Exception {
        varve = new Varve(Varve.INSTALLATION, folder);
        chat = Qwen3Model.odd(3).withType(TensorType.F16).write(folder);
        bert =
                new EncoderModel(EncoderModel.Kind.BERT, 1, TensorType.F32, MEAN, false)
                        .write(folder);
        reranker =
                new EncoderModel(EncoderModel.Kind.MODERN, 1, TensorType.F32, RANK, true)
                        .write(folder);
    }

    @AfterAll
    static void stop() {
        HTTP.close();
    }

    private static HttpResponse<String> post(Varve.Server server, String path, String body)
            throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create(server.url() + path))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .header("Content-Type", "application/json")
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode answer(Varve.Server server, String path, String body) throws Exception {
        HttpResponse<String> response = post(server, path, body);
        assertEquals(200, response.statusCode(), response.body());
        return JSON.readTree(response.body());
    }

    private static String refusal(Varve.Server server, String path, String body) throws Exception {
        HttpResponse<String> response = post(server, path, body);
        assertEquals(400, response.statusCode(), response.body());
        return JSON.readTree(response.body()).at("/error/message").asString();
    }

    @Test
    void encodersAreServedBesideAModelThatGenerates() throws Exception {
        try (Varve.Server server =
                varve.serve(
                        "--model",
                        "chat=" + chat,
                        "--model",
                        "vectors=" + bert,
                        "--model",
                        "scores=" + reranker)) {
            JsonNode vectors =
                    answer(
                            server,
                            "/v1/embeddings",
                            "{\"model\": \"vectors\", \"input\": [\"the cat sat\", \"cafe\"]}");
            assertEquals(256, vectors.at("/data/1/embedding").size());
            assertEquals(8, vectors.at("/usage/total_tokens").asInt());
            JsonNode scores =
                    answer(
                            server,
                            "/rerank",
                            "{\"model\": \"scores\", \"query\": \"the cat\", \"documents\":"
                                    + " [\"sat\", \"the cat sat\"]}");
            assertEquals(2, scores.get("results").size());
            assertEquals(
                    200,
                    post(
                                    server,
                                    "/v1/completions",
                                    "{\"model\": \"chat\", \"prompt\": \"a\", \"max_tokens\": 3}")
                            .statusCode());
            String chatMessage =
                    refusal(
                            server,
                            "/v1/chat/completions",
                            "{\"model\": \"vectors\", \"messages\": [{\"role\": \"user\","
                                    + " \"content\": \"Hi\"}]}");
            assertTrue(chatMessage.contains("generates no text"), chatMessage);
            String message =
                    refusal(server, "/v1/embeddings", "{\"model\": \"chat\", \"input\": \"a\"}");
            assertTrue(message.contains("--embedding"), message);
            JsonNode tokens =
                    answer(
                            server,
                            "/tokenize",
                            "{\"model\": \"vectors\", \"content\": \"the cat\"}");
            assertEquals(2, tokens.get("tokens").size());
        }
    }

    @Test
    void modelThatGeneratesComputesVectorsWhereAsked() throws Exception {
        try (Varve.Server server = varve.serve("--model", chat, "--embedding")) {
            JsonNode vectors =
                    answer(
                            server,
                            "/v1/embeddings",
                            "{\"input\": [\"hello\", \"hello world\"], \"dimensions\": 8}");
            assertEquals(8, vectors.at("/data/0/embedding").size());
            assertEquals(
                    200,
                    post(server, "/v1/completions", "{\"prompt\": \"a\", \"max_tokens\": 3}")
                            .statusCode());
        }
    }

    @Test
    void encoderIsServedAloneWithAnotherPooling() throws Exception {
        try (Varve.Server server = varve.serve("--model", bert, "--pooling", "cls")) {
            assertTrue(
                    answer(server, "/v1/embeddings", "{\"input\": \"the cat\"}")
                            .at("/data/0/embedding")
                            .isArray());
            String words = "cat ".repeat(600);
            String message =
                    refusal(server, "/v1/embeddings", "{\"input\": [\"a\", \"" + words + "\"]}");
            assertTrue(message.contains("input[1]"), message);
            assertTrue(message.contains("602"), message);
            assertTrue(message.contains("512"), message);
        }
    }
}
