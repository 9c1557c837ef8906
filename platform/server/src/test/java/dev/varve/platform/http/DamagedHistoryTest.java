package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.List;

/**
 * Conversations with calls that a model wrote wrong, and with tools that returned nothing. Clients
 * send them again with each later request, so a refusal would end the conversation.
 */
@Timeout(120)
class DamagedHistoryTest {
    private static final List<SpokenDialect> DIALECTS =
            List.of(SpokenDialect.CHAT, SpokenDialect.MESSAGES, SpokenDialect.RESPONSES);

    private final ScriptedEngine engine =
            new ScriptedEngine().hasContext(20_000).says(SmallChat.answer("ok"));

    @AfterEach
    void stop() {
        engine.close();
    }

    /** A conversation with one call and its result in a dialect; {@code null}: no such field. */
    private static ObjectNode body(SpokenDialect dialect, String arguments, String result) {
        ObjectNode body = dialect.body("Why?");
        String call =
                switch (dialect) {
                    case CHAT ->
                            "{'role': 'assistant', 'content': null, 'tool_calls': [{'id': 'c1',"
                                    + " 'type': 'function', 'function': {'name': 'f'"
                                    + field("arguments", arguments)
                                    + "}}]}";
                    case MESSAGES ->
                            "{'role': 'assistant', 'content': [{'type': 'tool_use', 'id': 'c1',"
                                    + " 'name': 'f'"
                                    + field("input", arguments)
                                    + "}]}";
                    default ->
                            "{'type': 'function_call', 'call_id': 'c1', 'name': 'f'"
                                    + field("arguments", arguments)
                                    + "}";
                };
        String answer =
                switch (dialect) {
                    case CHAT ->
                            "{'role': 'tool', 'tool_call_id': 'c1'"
                                    + field("content", result)
                                    + "}";
                    case MESSAGES ->
                            "{'role': 'user', 'content': [{'type': 'tool_result', 'tool_use_id':"
                                    + " 'c1'"
                                    + field("content", result)
                                    + "}]}";
                    default ->
                            "{'type': 'function_call_output', 'call_id': 'c1'"
                                    + field("output", result)
                                    + "}";
                };
        String list = dialect == SpokenDialect.RESPONSES ? "input" : "messages";
        body.putArray(list)
                .add(json("{'role': 'user', 'content': 'Hi'}"))
                .add(json(call))
                .add(json(answer));
        return body;
    }

    private static String field(String name, String value) {
        return value.equals("missing") ? "" : ", '" + name + "': " + value;
    }

    /** {@code '} stands for a quote, and {@code `} for a quote within a string. */
    private static JsonNode json(String text) {
        return Json.MAPPER.readTree(text.replace('\'', '"').replace("`", "\\\""));
    }

    private String prompt(TestServer server, SpokenDialect dialect, ObjectNode body)
            throws Exception {
        HttpResponse<String> response = server.post(dialect.path, Json.write(body));
        assertEquals(200, response.statusCode(), dialect + ": " + response.body());
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "missing                             | f{}",
                "null                                | f{}",
                "''                                  | f{}",
                "' '                                 | f{}",
                "'null'                              | f{}",
                "'``'                                | f{}",
                "[]                                  | f{}",
                "'[]'                                | f{}",
                "{'b': 'x'}                          | f{`b`: `x`}",
                "'{`b`: `x`}'                        | f{`b`: `x`}",
                "'{`b`: `x'                          | f{`b`: `x`}",
                "'{`b`: `x`} {`b`: `y`}'             | f`{\\`b\\`: \\`x\\`} {\\`b\\`: \\`y\\`}`",
                "'{b: x}'                            | f`{b: x}`",
                "'go'                                | f`go`",
                "'[1, 2]'                            | f`[1, 2]`",
                "[1,2]                               | f`[1,2]`",
                "5                                   | f`5`",
                "true                                | f`true`",
                "'{`a`: 1e999}'                      | f`{\\`a\\`: 1e999}`"
            })
    void argumentsReachTheTemplateAsAnObjectOrText(String arguments, String shown)
            throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            for (SpokenDialect dialect : DIALECTS) {
                String prompt = prompt(server, dialect, body(dialect, arguments, "'r'"));

                assertTrue(prompt.contains(shown.replace('`', '"') + "\n"), dialect + prompt);
            }
        }
    }

    /** Their templates iterate over arguments, or ask what these are. */
    @ParameterizedTest
    @EnumSource(ChatFamily.class)
    void allFamilyTemplatesAcceptNonObjectArguments(ChatFamily family) throws Exception {
        engine.says(family.answer("ok"));
        try (TestServer server = TestServer.of(family.served(engine))) {
            for (String arguments : List.of("'{`b`: `x`} {`b`: `y`}'", "'go'", "'[1]'", "''")) {
                for (SpokenDialect dialect : DIALECTS) {
                    HttpResponse<String> response =
                            server.post(dialect.path, Json.write(body(dialect, arguments, "'r'")));

                    assertEquals(200, response.statusCode(), dialect + arguments + response.body());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "null", "''", "[]", "[{'type': 'text', 'text': null}]"})
    void emptyToolResultIsAnEmptyText(String result) throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            for (SpokenDialect dialect : DIALECTS) {
                String prompt = prompt(server, dialect, body(dialect, "{}", result));

                assertTrue(prompt.contains("[tool f c1]\n"), dialect + prompt);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "{'type': 'image', 'source': {'type': 'base64', 'data': 'AA'}}        | image",
                "{'type': 'image_url', 'image_url': {'url': 'data:image/png;base64,AA'}} | image",
                "{'type': 'input_image', 'image_url': 'data:image/png;base64,AA'}     | image",
                "{'type': 'input_audio', 'input_audio': {'data': 'AA'}}               | audio",
                "{'type': 'video_url', 'video_url': {'url': 'x'}}                     | video",
                "{'type': 'input_file', 'file_id': 'x'}                               | file",
                "{'type': 'document', 'source': {'type': 'base64', 'data': 'AA'}}     | file",
                "{'type': 'hologram', 'data': 'AA'}                                   | content"
            })
    void unsupportedToolResultIsReplacedByAText(String part, String kind) throws Exception {
        String result = "[{'type': 'text', 'text': 'a.png'}, " + part.strip() + "]";
        try (TestServer server = SmallChat.server(engine)) {
            for (SpokenDialect dialect : DIALECTS) {
                String prompt = prompt(server, dialect, body(dialect, "{}", result));

                assertTrue(
                        prompt.contains(
                                "]a.png[" + kind + " omitted: this model reads text only]\n"),
                        dialect + prompt);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '#',
            value = {
                "{'type': 'image', 'source': {'type': 'base64', 'data': 'AA'}}    | an image",
                "{'type': 'image_url', 'image_url': {'url': 'x'}}                 | an image",
                "{'type': 'input_image', 'image_url': 'x'}                        | an image",
                "{'type': 'input_audio', 'input_audio': {'data': 'AA'}}           | an audio"
                        + " recording",
                "{'type': 'document', 'source': {'type': 'base64', 'data': 'AA'}} | a file",
                "{'type': 'file', 'file': {'file_id': 'x'}}                       | a file"
            })
    void unsupportedUserContentIsRefused(String part, String kind) throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            for (String path :
                    List.of(
                            "/v1/chat/completions",
                            "/v1/messages",
                            "/v1/messages/count_tokens",
                            "/v1/responses",
                            "/apply-template",
                            "/v1/chat/completions/render")) {
                String list = path.endsWith("responses") ? "input" : "messages";
                ObjectNode body = Json.object().put("max_tokens", 9);
                body.putArray(list).add(json("{'role': 'user', 'content': [" + part + "]}"));
                if (path.endsWith("count_tokens")) {
                    body.remove("max_tokens");
                }

                HttpResponse<String> response = server.post(path, Json.write(body));

                assertEquals(400, response.statusCode(), path + response.body());
                assertTrue(
                        response.body().contains("this model reads text only, found " + kind),
                        path + response.body());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"input_image", "input_file", "input_audio"})
    void unsupportedInputItemIsRefused(String type) throws Exception {
        try (TestServer server = SmallChat.server(engine)) {
            HttpResponse<String> response =
                    server.post(
                            "/v1/responses",
                            "{\"input\": [{\"role\": \"user\", \"content\": \"a\"}, {\"type\": \""
                                    + type
                                    + "\", \"image_url\": \"x\"}]}");

            assertEquals(400, response.statusCode(), response.body());
            assertTrue(response.body().contains("reads text only"), response.body());
        }
    }
}
