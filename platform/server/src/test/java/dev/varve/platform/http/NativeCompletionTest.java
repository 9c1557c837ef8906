package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.model.ServedAdapters;
import dev.varve.platform.http.model.ServedModel;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;

/** Routes and names that users of llama.cpp bring along. */
@Timeout(60)
class NativeCompletionTest {
    private final ScriptedEngine engine = new ScriptedEngine().hasContext(1000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    @ParameterizedTest
    @CsvSource({
        "'', eos, Hello, ''",
        "', \"n_predict\": 3', limit, Hel, ''",
        "', \"stop\": [\"lo\"]', word, Hel, lo"
    })
    void responseReportsItsStopReason(String fields, String type, String text, String word)
            throws Exception {
        engine.says(SmallChat.answer("Hello"));

        JsonNode answer =
                TestServer.json(server.post("/completion", "{\"prompt\": \"Say:\"" + fields + "}"));

        assertEquals(text, answer.get("content").stringValue());
        assertTrue(answer.get("stop").booleanValue());
        assertEquals(type, answer.get("stop_type").stringValue());
        assertEquals(word, answer.get("stopping_word").stringValue());
        assertEquals(4, answer.get("tokens_evaluated").intValue());
    }

    @Test
    void streamEndsWithoutDone() throws Exception {
        engine.says(SmallChat.answer("Hello"));

        String stream = server.post("/completion", "{\"prompt\": \"a\", \"stream\": true}").body();

        List<JsonNode> events = TestServer.events(stream);
        StringBuilder text = new StringBuilder();
        events.forEach(event -> text.append(event.get("content").stringValue()));
        assertEquals("Hello", text.toString());
        assertTrue(events.getLast().get("stop").booleanValue());
        assertFalse(events.getFirst().get("stop").booleanValue());
        assertFalse(stream.contains("[DONE]"), stream);
    }

    @Test
    void defaultLimitIsTheContext() throws Exception {
        engine.says(SmallChat.answer("Hello"));

        server.post("/completion", "{\"prompt\": [1, 2, 3]}");

        assertEquals(997, engine.requests.getFirst().ending().maxTokens());
    }

    @Test
    void severalPromptsAreRefused() throws Exception {
        assertEquals(400, server.post("/completion", "{\"prompt\": [\"a\", \"b\"]}").statusCode());
        assertEquals(
                200, server.post("/v1/completions", "{\"prompt\": [\"a\", \"b\"]}").statusCode());
    }

    @Test
    void tokensHaveTheirPieces() throws Exception {
        JsonNode tokens =
                TestServer.json(
                                server.post(
                                        "/tokenize",
                                        "{\"content\": \"aé\", \"with_pieces\": true}"))
                        .get("tokens");

        assertEquals("a", tokens.get(0).get("piece").stringValue());
        assertEquals(0xC3, tokens.get(1).get("piece").get(0).intValue());
        assertTrue(tokens.get(2).get("id").isInt());
    }

    @Test
    void adaptersMatchLlamaCpp() throws Exception {
        assertEquals(0, TestServer.json(server.get("/lora-adapters")).size());

        ServedModel plain = SmallChat.served(engine);
        ServedModel adapted =
                new ServedModel(
                        plain.description()
                                .with(
                                        List.of(
                                                new ServedAdapters.Adapter("a.gguf", 1),
                                                new ServedAdapters.Adapter("b.gguf", 0.5f))),
                        plain.engine(),
                        plain.textProcessing());
        try (TestServer other = TestServer.of(adapted)) {
            assertEquals(
                    "[{\"id\":0,\"path\":\"a.gguf\",\"scale\":1.0},"
                            + "{\"id\":1,\"path\":\"b.gguf\",\"scale\":0.5}]",
                    TestServer.json(other.get("/lora-adapters")).toString());
        }
    }

    @Test
    void healthAndSlotsMatchLlamaCpp() throws Exception {
        assertEquals(200, server.get("/v1/health").statusCode());
        JsonNode slots = TestServer.json(server.get("/slots"));
        assertEquals(4, slots.size());
        assertEquals(1000, slots.get(0).get("n_ctx").intValue());
        assertFalse(slots.get(0).get("is_processing").booleanValue());
    }

    @Test
    void promptsAreShownAsTheEngineGetsThem() throws Exception {
        engine.says(SmallChat.answer("ok"));
        String chat = "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]}";
        server.post("/v1/chat/completions", chat);

        JsonNode shown = TestServer.json(server.post("/v1/chat/completions/render", chat));

        int[] prompt = engine.requests.getFirst().prompt().tokens();
        assertEquals(prompt.length, shown.get("token_ids").size());
        assertEquals(prompt[3], shown.get("token_ids").get(3).intValue());
        assertEquals(SmallChat.text(prompt), shown.get("prompt").stringValue());
        JsonNode texts =
                TestServer.json(
                        server.post("/v1/completions/render", "{\"prompt\": [\"ab\", [1, 2, 3]]}"));
        assertEquals("ab", texts.at("/0/prompt").stringValue());
        assertEquals(3, texts.at("/1/token_ids").size());
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/score, /v1/rerank",
        "/embedding, /v1/embeddings",
        "/v1/audio/speech, text only",
        "/v1/images/generations, text only",
        "/v1/files, stores no files",
        "/v1/messages/batches, stores no files",
        "/v1/moderations, use /v1/chat/completions"
    })
    void unsupportedRouteIsExplained(String path, String words) throws Exception {
        HttpResponse<String> answer = server.post(path, "{}");

        assertEquals(404, answer.statusCode());
        String message = TestServer.json(answer).at("/error/message").stringValue();
        assertTrue(message.contains(words), message);
    }
}
