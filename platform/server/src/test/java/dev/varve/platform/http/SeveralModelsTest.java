package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.http.serving.IdleTtl;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelNameResolver;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** Answers that clients get from a server with several models. */
@Timeout(60)
class SeveralModelsTest {
    private final ScriptedSource first = new ScriptedSource("first");
    private final ScriptedSource second = new ScriptedSource("second");
    private ModelManager models;
    private TestServer server;

    @BeforeEach
    void start() {
        models =
                ModelManager.several(
                        () -> List.of(first, second), ModelNameResolver.usual(), IdleTtl.always());
        server = TestServer.loading(HttpOptions.loopback());
        server.server.ready(models);
    }

    @AfterEach
    void stop() {
        models.close();
        server.close();
    }

    private static String text(JsonNode answer) {
        return answer.at("/choices/0/message/content").asString("");
    }

    @Test
    void requestedModelRespondsUnderItsOwnName() throws Exception {
        JsonNode unnamed = server.chat("");
        JsonNode named = server.chat("\"model\": \"second\"");
        JsonNode agent = server.chat("\"model\": \"claude-opus-4-1\"");
        JsonNode last = server.chat("\"model\": \"first\", \"model\": \"second\"");

        assertEquals("first", text(unnamed));
        assertEquals("second", text(named));
        assertEquals("second", named.get("model").stringValue());
        assertEquals("first", agent.get("model").stringValue(), "not the name that was asked for");
        assertEquals("second", text(last), "the last of equal names counts");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/v1/chat/completions", "/v1/completions", "/tokenize", "/apply-template"})
    void unknownModelListsTheAvailableOnes(String path) throws Exception {
        HttpResponse<String> answer =
                server.post(
                        path,
                        "{\"model\": \"mine\", \"prompt\": \"x\", \"content\": \"x\","
                                + " \"messages\": [{\"role\": \"user\", \"content\": \"x\"}]}");

        assertEquals(404, answer.statusCode());
        assertEquals("model_not_found", TestServer.json(answer).at("/error/code").stringValue());
        assertTrue(answer.body().contains("first, second"), answer.body());
        assertFalse(answer.body().contains("mine"), answer.body());
    }

    @Test
    void invalidBodiesAreReported() throws Exception {
        assertEquals(400, server.post("/v1/chat/completions", "{\"model\": 5}").statusCode());
        assertEquals(400, server.post("/v1/chat/completions", "{\"model").statusCode());
        assertEquals(400, server.post("/v1/chat/completions", "[]").statusCode());
    }

    @Test
    void modelsAreListedWithCapabilitiesAndLoadState() throws Exception {
        server.chat("\"model\": \"second\"");

        JsonNode list = TestServer.json(server.get("/v1/models"));

        assertEquals("list", list.get("object").stringValue());
        assertEquals("first", list.get("first_id").stringValue());
        assertEquals("second", list.get("last_id").stringValue());
        assertFalse(list.get("has_more").booleanValue());
        JsonNode unloaded = list.at("/data/0");
        assertEquals("unloaded", unloaded.get("state").stringValue());
        assertEquals("model", unloaded.get("type").stringValue());
        assertEquals("Model first", unloaded.get("display_name").stringValue());
        assertEquals("2023-11-14T22:13:20Z", unloaded.get("created_at").stringValue());
        assertEquals(100, unloaded.get("context_length").intValue());
        assertEquals(100, unloaded.get("max_model_len").intValue());
        assertEquals(
                "[\"completion\",\"chat\",\"structured_output\"]",
                unloaded.get("capabilities").toString());
        JsonNode loaded = list.at("/data/1");
        assertEquals("ready", loaded.get("state").stringValue());
        assertEquals(
                "[\"completion\",\"chat\",\"tools\",\"reasoning\",\"structured_output\"]",
                loaded.get("capabilities").toString());
        assertEquals(loaded, TestServer.json(server.get("/v1/models/second")));
        assertEquals(404, server.get("/v1/models/third").statusCode());
    }

    @Test
    void failedModelReportsItsReasonAndOthersWork() throws Exception {
        second.fails(
                new VarveException(
                        VarveException.Kind.CORRUPT_FILE, "second.gguf: truncated or corrupt"));

        HttpResponse<String> answer =
                server.post("/v1/chat/completions", TestServer.chatBody("\"model\": \"second\""));
        JsonNode listed = TestServer.json(server.get("/v1/models/second"));

        assertEquals(500, answer.statusCode());
        assertEquals(
                "model second cannot be loaded: second.gguf: truncated or corrupt",
                TestServer.json(answer).at("/error/message").stringValue());
        assertEquals("failed", listed.get("state").stringValue());
        assertEquals("second.gguf: truncated or corrupt", listed.get("reason").stringValue());
        assertEquals("first", text(server.chat("")));
        assertEquals(200, server.get("/health").statusCode());
    }

    @Test
    void serverWithoutLoadedModelsIsHealthyAndListsThem() throws Exception {
        assertEquals(200, server.get("/health").statusCode());
        JsonNode unloaded = TestServer.json(server.get("/props?model=second"));
        assertEquals("unloaded", unloaded.get("state").stringValue());
        assertEquals("second", unloaded.get("model_alias").stringValue());
        assertEquals("{\"entries\":[],\"total\":0,\"limit\":100}", server.get("/cache").body());

        server.chat("\"model\": \"second\"");

        assertEquals(
                "second",
                TestServer.json(server.get("/props?model=second"))
                        .get("model_alias")
                        .stringValue());
        assertTrue(server.get("/props?model=second").body().contains("kv_tokens"));
        assertEquals(
                "first", TestServer.json(server.get("/props")).get("model_alias").stringValue());
        assertEquals(404, server.get("/props?model=third").statusCode());
    }

    @Test
    void metricsAreLabelledByModel() throws Exception {
        server.chat("\"model\": \"second\"");

        String metrics = server.get("/metrics").body();

        assertTrue(metrics.contains("varve_model_loaded{model=\"first\"} 0.0\n"), metrics);
        assertTrue(metrics.contains("varve_model_loaded{model=\"second\"} 1.0\n"), metrics);
        assertTrue(metrics.contains("varve_model_requests_total{model=\"second\"} 1.0\n"), metrics);
        assertTrue(metrics.contains("varve_steps_total{model=\"second\"} "), metrics);
        server.chat("");
        metrics = server.get("/metrics").body();
        assertEquals(1, metrics.split("# TYPE varve_steps_total", -1).length - 1, metrics);
        assertTrue(metrics.contains("varve_steps_total{model=\"first\"} "), metrics);
    }

    @Test
    void clientDisconnectDuringALoadCancelsTheRequest() throws Exception {
        CountDownLatch start = new CountDownLatch(1);
        second.waitsFor(start);
        byte[] body = TestServer.chatBody("\"model\": \"second\"").getBytes("UTF-8");
        try (java.net.Socket socket =
                new java.net.Socket("127.0.0.1", server.server.uri().getPort())) {
            socket.getOutputStream()
                    .write(
                            ("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                                            + "Content-Length: "
                                            + body.length
                                            + "\r\n\r\n")
                                    .getBytes("UTF-8"));
            socket.getOutputStream().write(body);
            second.begun.await();
        }
        Await.until(
                "the disconnect is counted",
                () -> server.get("/metrics").body().contains("varve_client_disconnects_total 1"));
        start.countDown();
        assertEquals("second", text(server.chat("\"model\": \"second\"")));
        assertEquals(1, second.loads.get());
    }
}
