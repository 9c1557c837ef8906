package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.http.anthropic.MessagesDialect;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.http.llamacpp.LlamaCppCompletions;
import dev.varve.platform.http.ollama.OllamaRequestTranslator;
import dev.varve.platform.http.openai.ChatCompletionsDialect;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.http.responses.ResponsesDialect;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Which fields do something, nothing, or are refused. */
@Timeout(60)
class KnownFieldsTest {
    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(1000).says(TestServer.ids("ok"));

    @AfterEach
    void stop() {
        engine.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"user\": \"u\"",
                "\"metadata\": {\"a\": \"b\"}",
                "\"store\": true",
                "\"service_tier\": \"auto\"",
                "\"parallel_tool_calls\": true",
                "\"prompt_cache_key\": \"k\"",
                "\"safety_identifier\": \"s\"",
                "\"verbosity\": \"low\"",
                "\"prediction\": {\"type\": \"content\", \"content\": \"ok\"}",
                "\"modalities\": [\"text\"]",
                "\"functions\": []",
                "\"audio\": null",
                "\"dynatemp_range\": 0",
                "\"length_penalty\": 1.0",
                "\"min_tokens\": 0",
                "\"n_predict\": -1",
                "\"max_tokens\": -1",
                "\"repeat_penalty\": 1.1",
                "\"cache_prompt\": false",
                "\"a_field_of_next_year\": {\"x\": 1}"
            })
    void ineffectiveFieldsAreAccepted(String field) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer =
                    server.post("/v1/chat/completions", TestServer.chatBody(field));

            assertEquals(200, answer.statusCode(), answer.body());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "functions | [{\"name\": \"f\"}]",
                "function_call | {\"name\": \"f\"}",
                "audio | {\"voice\": \"x\"}",
                "modalities | [\"text\", \"audio\"]",
                "modalities | {\"a\": 1}",
                "format | \"json\"",
                "options | {\"temperature\": 0}",
                "web_search_options | {\"search_context_size\": \"low\"}",
                "allowed_token_ids | [1]",
                "bad_words | [\"a\"]",
                "tfs_z | 0.5",
                "dynatemp_range | 2",
                "n_indent | 2",
                "best_of | 2",
                "use_beam_search | true",
                "chat_template | \"x\"",
                "echo | true"
            })
    void unsupportedFieldIsRefusedByName(String name, String value) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer =
                    server.post(
                            "/v1/chat/completions",
                            TestServer.chatBody("\"" + name + "\": " + value));

            assertEquals(400, answer.statusCode(), answer.body());
            JsonNode error = TestServer.json(answer).get("error");
            assertEquals(name, error.get("param").stringValue());
            assertTrue(error.get("message").stringValue().startsWith(name + ": "), answer.body());
            assertTrue(engine.requests.isEmpty());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/v1/chat/completions, '\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]'",
        "/v1/responses, '\"input\": \"a\"'",
        "/v1/messages, '\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]'",
        "/v1/completions, '\"prompt\": \"a\"'",
        "/completion, '\"prompt\": \"a\"'",
        "/api/chat, '\"messages\": [{\"role\": \"user\", \"content\": \"a\"}]'",
        "/api/generate, '\"prompt\": \"a\"'"
    })
    void unknownFieldsAreRefusedOnStrictServers(String path, String field) throws Exception {
        HttpOptions strict = HttpOptions.loopback().withFields(UnknownFieldPolicy.STRICT);
        String known = "{" + field + ", \"temperature\": 0, \"nothing\": null";
        try (TestServer server = TestServer.of(engine, strict)) {
            HttpResponse<String> taken = server.post(path, known + "}");
            assertEquals(200, taken.statusCode(), taken.body());

            HttpResponse<String> refused = server.post(path, known + ", \"temprature\": 0}");

            assertEquals(400, refused.statusCode(), refused.body());
            assertTrue(
                    refused.body().contains("temprature: this route has no such field"),
                    refused.body());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'\"max_completion_tokens\": 7, \"max_tokens\": 9', 7",
        "'\"max_tokens\": 9, \"n_predict\": 5', 9",
        "'\"n_predict\": 5', 5",
        "'\"max_tokens\": -1, \"n_predict\": 5', -1"
    })
    void newerNameOfALimitWins(String fields, int most) throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            server.chat(fields);

            int prompt = engine.requests.getFirst().prompt().length();
            assertEquals(
                    most < 0 ? 1000 - prompt : most,
                    engine.requests.getFirst().ending().maxTokens());
        }
    }

    /** The documentation names every field of a request. */
    @Test
    void allFieldsAreDocumented() throws Exception {
        Path docs = Path.of(System.getProperty("varve.test.root", ".."), "docs", "api.md");
        assumeTrue(Files.exists(docs), "no documentation " + docs.toAbsolutePath());
        String text = Files.readString(docs);
        Map<String, FieldRules> routes =
                Map.of(
                        "chat",
                        new ChatCompletionsDialect().rules(),
                        "responses",
                        ResponsesDialect.RULES,
                        "messages",
                        new MessagesDialect().rules(),
                        "completions",
                        CompletionRequests.RULES,
                        "completion",
                        LlamaCppCompletions.RULES,
                        "ollama chat",
                        OllamaRequestTranslator.CHAT_RULES,
                        "ollama generate",
                        OllamaRequestTranslator.GENERATE_RULES);
        routes.forEach(
                (route, rules) -> {
                    for (String name : rules.rules().keySet()) {
                        assertTrue(text.contains("`" + name + "`"), route + ": " + name);
                    }
                });
    }
}
