package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.model.ServedAdapters;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.shard.lora.LoraScales;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.http.HttpResponse;
import java.util.List;

/** Scales of LoRA adapters in requests, and those that the operator sets. */
@Timeout(60)
class LoraRequestTest {
    private static final String CHAT = "\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(1000);
    private final TestServer server = TestServer.of(adapted());

    private ServedModel adapted() {
        engine.says(SmallChat.answer("ok"));
        ServedModel plain = SmallChat.served(engine);
        return new ServedModel(
                plain.description()
                        .with(
                                List.of(
                                        new ServedAdapters.Adapter("a.gguf", 1),
                                        new ServedAdapters.Adapter("b.gguf", 0.5f))),
                plain.engine(),
                plain.textProcessing());
    }

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private static String body(String fields, String lora) {
        return "{" + fields + ", \"max_tokens\": 5, \"lora\": " + lora + "}";
    }

    private LoraScales lastScales() {
        return engine.requests.getLast().prompt().scope().lora();
    }

    private static void requireOk(HttpResponse<String> response) {
        assertEquals(200, response.statusCode(), response.body());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/v1/chat/completions | \"messages\": [{\"role\": \"user\", \"content\": \"a\"}]",
                "/v1/messages | \"messages\": [{\"role\": \"user\", \"content\": \"a\"}]",
                "/v1/responses | \"input\": \"a\"",
                "/v1/completions | \"prompt\": \"a\"",
                "/completion | \"prompt\": \"a\""
            })
    void allRoutesAcceptScales(String path, String fields) throws Exception {
        requireOk(server.post(path, body(fields, "[{\"id\": 1, \"scale\": -2}]")));

        assertEquals(new LoraScales(List.of(0f, -2f)), lastScales(), path);
    }

    @Test
    void scalesOfTheOperatorAreThoseOfLaterRequestsWithoutAny() throws Exception {
        requireOk(server.post("/v1/chat/completions", "{" + CHAT + "}"));
        assertEquals(LoraScales.AS_LOADED, lastScales());

        HttpResponse<String> set = server.post("/lora-adapters", "[{\"id\": 0, \"scale\": 0.25}]");

        requireOk(set);
        assertEquals("{\"success\":true}", set.body());
        assertEquals(
                "[{\"id\":0,\"path\":\"a.gguf\",\"scale\":0.25},"
                        + "{\"id\":1,\"path\":\"b.gguf\",\"scale\":0.0}]",
                TestServer.json(server.get("/lora-adapters")).toString());
        requireOk(server.post("/v1/chat/completions", "{" + CHAT + "}"));
        assertEquals(new LoraScales(List.of(0.25f, 0f)), lastScales());
        requireOk(server.post("/v1/chat/completions", body(CHAT, "[]")));
        assertEquals(new LoraScales(List.of(0f, 0f)), lastScales());
    }

    @Test
    void loadedScalesShareCachedPrefixesHoweverTheyAreNamed() throws Exception {
        requireOk(
                server.post(
                        "/v1/chat/completions",
                        body(CHAT, "[{\"id\": 1, \"scale\": 0.5}, {\"id\": 0, \"scale\": 1}]")));

        assertEquals(LoraScales.AS_LOADED, lastScales());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[{\"id\": 2, \"scale\": 1}] | [0].id: expected a whole number from 0 to 1, found"
                        + " 2",
                "[{\"id\": 0, \"scale\": 1}, {\"id\": 0, \"scale\": 2}]"
                        + " | [1].id: expected each adapter once, found 0 again",
                "[{\"id\": 0}] | [0].scale: missing",
                "[{\"scale\": 1}] | [0].id: missing",
                "[{\"id\": 0, \"scale\": \"1\"}] | [0].scale: expected a number",
                "[{\"id\": \"0\", \"scale\": 1}] | [0].id: expected a whole number",
                "[{\"id\": 0, \"scale\": 1e39}] | [0].scale: expected a number",
                "[0.5] | [0]: expected an object"
            })
    void wrongScalesAreRefusedWithTheirPlace(String scales, String message) throws Exception {
        HttpResponse<String> request = server.post("/v1/chat/completions", body(CHAT, scales));
        HttpResponse<String> change = server.post("/lora-adapters", scales);

        assertEquals(400, request.statusCode(), request.body());
        assertTrue(request.body().contains("lora" + message), request.body());
        assertEquals(400, change.statusCode(), change.body());
        assertTrue(change.body().contains("adapters" + message), change.body());
        assertEquals(
                1, TestServer.json(server.get("/lora-adapters")).get(0).get("scale").intValue());
    }

    @Test
    void bodyIsAnArray() throws Exception {
        HttpResponse<String> refused = server.post("/lora-adapters", "{\"id\": 0}");

        assertEquals(400, refused.statusCode());
        assertTrue(refused.body().contains("must be a JSON array"), refused.body());
    }

    @Test
    void modelWithoutAdaptersRefusesScales() throws Exception {
        try (TestServer plain = SmallChat.server(engine)) {
            HttpResponse<String> refused =
                    plain.post("/v1/chat/completions", body(CHAT, "[{\"id\": 0, \"scale\": 1}]"));

            assertEquals(400, refused.statusCode());
            assertTrue(
                    refused.body().contains("lora: the model has no LoRA adapters"),
                    refused.body());
            requireOk(plain.post("/v1/chat/completions", body(CHAT, "[]")));
            assertEquals(LoraScales.AS_LOADED, lastScales());
        }
    }
}
