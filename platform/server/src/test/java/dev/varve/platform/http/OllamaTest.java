package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.sampling.SamplingOptions;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;

/** The routes of Ollama, as its clients use them. */
@Timeout(60)
class OllamaTest {
    private static final String ASK = "\"messages\": [{\"role\": \"user\", \"content\": \"Why?\"}]";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(1000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    private HttpResponse<String> post(String path, String fields) throws Exception {
        return server.post(
                path, "{\"model\": \"small\"" + (fields.isEmpty() ? "" : ", ") + fields + "}");
    }

    private JsonNode whole(String path, String fields) throws Exception {
        HttpResponse<String> response = post(path, fields + ", \"stream\": false");
        assertEquals(200, response.statusCode(), response.body());
        return TestServer.json(response);
    }

    private GenerationRequest asked() {
        return engine.requests.getLast();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/chat | \"messages\": [{\"role\": \"user\", \"content\": \"Why?\"}]"
                        + " | /message/content",
                "/api/generate | \"prompt\": \"Why?\" | /response"
            })
    void responsesAreStreamedByLineByDefault(String path, String fields, String place)
            throws Exception {
        engine.says(SmallChat.answer("hm</think>It is so."));

        HttpResponse<String> response = post(path, fields + ", \"think\": true");

        assertEquals(
                "application/x-ndjson",
                response.headers().firstValue("Content-Type").orElseThrow());
        List<JsonNode> lines = SpokenDialect.OLLAMA.events(response.body());
        StringBuilder text = new StringBuilder();
        for (JsonNode line : lines) {
            text.append(line.at(place).asString(""));
            assertFalse(line.get("model").stringValue().isEmpty());
            Instant.parse(line.get("created_at").stringValue());
            assertEquals(line == lines.getLast(), line.get("done").booleanValue());
        }
        assertEquals("It is so.", text.toString());
        assertTrue(lines.size() > 5, "a line a token: " + lines);
    }

    @Test
    void lastObjectHasCountsAndTimes() throws Exception {
        engine.says(SmallChat.answer("so"));

        JsonNode answer = whole("/api/chat", ASK);

        assertEquals("stop", answer.get("done_reason").stringValue());
        assertEquals("so", answer.at("/message/content").stringValue());
        assertEquals(asked().prompt().tokens().length, answer.get("prompt_eval_count").intValue());
        assertTrue(answer.get("eval_count").intValue() >= 2);
        for (String name :
                List.of(
                        "total_duration",
                        "load_duration",
                        "prompt_eval_duration",
                        "eval_duration")) {
            assertTrue(answer.get(name).isIntegralNumber(), name);
        }
        assertTrue(answer.get("total_duration").longValue() > 0);
    }

    @Test
    void optionsControlSampling() throws Exception {
        engine.says(SmallChat.answer("so it is"));

        JsonNode answer =
                whole(
                        "/api/chat",
                        ASK
                                + ", \"options\": {\"temperature\": 0.5, \"top_k\": 7, \"top_p\":"
                                + " 0.25, \"min_p\": 0.125, \"seed\": 9, \"repeat_penalty\": 1.5,"
                                + " \"num_predict\": 4, \"num_ctx\": 8192, \"num_gpu\": 99,"
                                + " \"mirostat\": 0, \"stop\": [\"xyz\"]}, \"keep_alive\": \"5m\"");

        SamplingOptions sampling = asked().choice().sampling();
        assertEquals(0.5f, sampling.temperature());
        assertEquals(7, sampling.cutoffs().topK());
        assertEquals(0.25f, sampling.cutoffs().topP());
        assertEquals(0.125f, sampling.cutoffs().minP());
        assertEquals(9, sampling.seed().getAsLong());
        assertEquals(1.5f, sampling.penalties().repetition());
        assertEquals(4, asked().ending().maxTokens());
        assertEquals("length", answer.get("done_reason").stringValue());
    }

    @ParameterizedTest
    @ValueSource(ints = {-2, -1, 0, 5000})
    void excessiveTokenLimitIsClamped(int most) throws Exception {
        engine.says(SmallChat.answer("so"));

        whole("/api/chat", ASK + ", \"options\": {\"num_predict\": " + most + "}");

        assertEquals(1000 - asked().prompt().tokens().length, asked().ending().maxTokens());
    }

    @Test
    void generateRendersSystemAndPromptAsAChat() throws Exception {
        engine.says(SmallChat.answer("so"));

        whole("/api/generate", "\"system\": \"Be brief.\", \"prompt\": \"Why?\"");
        whole(
                "/api/chat",
                "\"messages\": [{\"role\": \"system\", \"content\": \"Be brief.\"}, {\"role\":"
                        + " \"user\", \"content\": \"Why?\"}]");

        assertArrayEquals(engine.requests.getFirst().prompt().tokens(), asked().prompt().tokens());
    }

    @Test
    void rawPromptUsesNoTemplate() throws Exception {
        engine.says(SmallChat.answer("so"));

        JsonNode answer = whole("/api/generate", "\"prompt\": \"abc\", \"raw\": true");

        assertEquals("abc", SmallChat.text(asked().prompt().tokens()));
        assertEquals("so", answer.get("response").stringValue());
    }

    @Test
    void callsHaveObjectArgumentsInBothDirections() throws Exception {
        String history =
                "\"messages\": [{\"role\": \"user\", \"content\": \"Why?\"}, {\"role\":"
                    + " \"assistant\", \"content\": \"\", \"thinking\": \"hm\", \"tool_calls\":"
                    + " [{\"function\": {\"name\": \"f\", \"arguments\": {\"a\": 1}}}]}, {\"role\":"
                    + " \"tool\", \"tool_name\": \"f\", \"content\": \"42\"}]";
        engine.says(SmallChat.answer("so"));

        whole("/api/chat", history);

        String prompt = SmallChat.text(asked().prompt().tokens());
        assertTrue(prompt.contains("[assistant](hm)f{\"a\": 1}"), prompt);
        assertTrue(prompt.contains("[tool f]42"), prompt);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"json\"",
                "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\"}}}"
            })
    void formatIsEnforced(String format) throws Exception {
        engine.says(SmallChat.answer("{}"));

        whole("/api/chat", ASK + ", \"think\": false, \"format\": " + format);
        whole("/api/generate", "\"prompt\": \"a\", \"think\": false, \"format\": " + format);
        whole("/api/generate", "\"prompt\": \"a\", \"raw\": true, \"format\": " + format);

        for (GenerationRequest request : engine.requests) {
            assertTrue(request.choice().constraint().constrains(), "a constraint");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/chat | \"messages\": 1 | messages",
                "/api/chat | \"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"format\":"
                        + " \"xml\" | format",
                "/api/chat | \"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"options\":"
                        + " {\"tfs_z\": 0.5} | tfs_z",
                "/api/chat | \"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"options\":"
                        + " 1 | options",
                "/api/chat | \"messages\": [{\"role\": \"user\", \"content\": \"a\", \"images\":"
                        + " [\"aGk=\"]}] | messages[0].content",
                "/api/generate | \"prompt\": \"a\", \"images\": [\"aGk=\"] | messages[0].content",
                "/api/generate | \"prompt\": \"a\", \"suffix\": \"b\" | suffix",
                "/api/generate | \"prompt\": \"a\", \"context\": [1] | context",
                "/api/generate | \"prompt\": 1 | prompt",
                "/api/chat | \"messages\": [{\"role\": \"user\", \"content\": \"a\"}], \"think\":"
                        + " 1 | think"
            })
    void errorNamesTheField(String path, String fields, String name) throws Exception {
        HttpResponse<String> refused = post(path, fields);

        assertEquals(400, refused.statusCode(), refused.body());
        String error = TestServer.json(refused).get("error").stringValue();
        assertTrue(error.contains(name), error);
        assertEquals(List.of(), engine.requests);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/chat | \"messages\": []",
                "/api/chat | \"keep_alive\": 0",
                "/api/generate | \"keep_alive\": -1",
                "/api/generate | \"prompt\": \"\""
            })
    void emptyRequestOnlyLoadsTheModel(String path, String fields) throws Exception {
        HttpResponse<String> response = post(path, fields);

        assertEquals(200, response.statusCode(), response.body());
        JsonNode answer = TestServer.json(response);
        assertTrue(answer.get("done").booleanValue());
        assertEquals("load", answer.get("done_reason").stringValue());
        assertEquals(List.of(), engine.requests);
    }

    @Test
    void modelsAreListedAndDescribed() throws Exception {
        JsonNode tag = TestServer.json(server.get("/api/tags")).at("/models/0");
        JsonNode running = TestServer.json(server.get("/api/ps")).at("/models/0");
        String name = tag.get("name").stringValue();
        JsonNode shown = TestServer.json(server.post("/api/show", "{\"model\": \"" + name + "\"}"));

        assertEquals(name, tag.get("model").stringValue());
        assertEquals(64, tag.get("digest").stringValue().length());
        assertEquals("gguf", tag.at("/details/format").stringValue());
        assertEquals(name, running.get("name").stringValue());
        assertEquals(1000, running.get("context_length").intValue());
        String architecture = shown.at("/model_info/general.architecture").stringValue();
        assertEquals(
                1000, shown.get("model_info").get(architecture + ".context_length").intValue());
        assertTrue(shown.get("capabilities").toString().contains("\"tools\""), shown.toString());
        assertTrue(TestServer.json(server.get("/api/version")).get("version").isString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/push", "/api/pull"})
    void unknownModelHasTheOllamaErrorFormat(String path) throws Exception {
        HttpResponse<String> refused = server.post(path, "{\"model\": \"small\"}");

        assertEquals(404, refused.statusCode());
        String error = TestServer.json(refused).get("error").stringValue();
        assertTrue(error.contains("/api/tags"), error);
    }

    @Test
    void keyIsRequired() throws Exception {
        try (TestServer closed = TestServer.loading(TestServer.withKey("k"))) {
            for (String path : List.of("/api/tags", "/api/version", "/api/ps")) {
                HttpResponse<String> refused = closed.get(path, "Authorization", "Bearer wrong");

                assertEquals(401, refused.statusCode(), path);
                assertTrue(TestServer.json(refused).get("error").isString(), refused.body());
            }
        }
    }
}
