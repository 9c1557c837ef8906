package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The form in which templates get the messages that clients send. */
@Timeout(60)
class ConversationTest {
    private static final String CALL =
            "{\"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"f\","
                    + " \"arguments\": \"{\\\"b\\\": [1, null], \\\"a\\\": 1.5}\"}}";

    private final ScriptedEngine engine = new ScriptedEngine().hasContext(4000);
    private final TestServer server = SmallChat.server(engine);

    @AfterEach
    void stop() {
        server.close();
        engine.close();
    }

    @Test
    void callsAndResultsKeepTheirIdsAndResultsGetNames() throws Exception {
        String prompt =
                prompt(
                        "{\"role\": \"user\", \"content\": \"\"},"
                                + "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": ["
                                + CALL
                                + "]},"
                                + "{\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\":"
                                + " [{\"type\": \"text\", \"text\": \"x\"}, {\"type\":"
                                + " \"text\", \"text\": \"y\"}]},"
                                + "{\"role\": \"tool\", \"tool_call_id\": \"c2\", \"name\": \"g\","
                                + " \"content\": \"z\"}");

        assertEquals(
                "[user]\n[assistant]f{\"b\": [1, null], \"a\": 1.5}\n[tool f c1]xy\n[tool g c2]z\n"
                        + "[assistant]",
                prompt);
    }

    @Test
    void resultWithoutACallIsNamedUnknown() throws Exception {
        assertEquals(
                "[tool unknown]x\n[assistant]", prompt("{\"role\": \"tool\", \"content\": \"x\"}"));
    }

    @Test
    void trailingAssistantMessageIsContinued() throws Exception {
        String said =
                "{\"role\": \"user\", \"content\": \"q\"}, {\"role\": \"assistant\", \"content\":"
                        + " \"x\"}";

        assertEquals("[user]q\n[assistant]</think>x", prompt(said));
        assertEquals(
                "[user]q\n[assistant]x\n[assistant]",
                prompt(server, said, ", \"add_generation_prompt\": true"));
        assertEquals(
                "[user]q\n[assistant]x\n",
                prompt(server, said, ", \"add_generation_prompt\": false"));
        assertEquals(
                "[user]q\n[assistant]</think>x",
                prompt(
                        server,
                        said,
                        ", \"add_generation_prompt\": false, \"continue_final_message\": true"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"reasoning_content\": \"r\"",
                "\"reasoning\": \"r\"",
                "\"reasoning\": \"old\", \"reasoning_content\": \"r\"",
                "\"reasoning\": null, \"reasoning_content\": \"r\""
            })
    void reasoningOfEarlierTurnsHasOneFieldName(String field) throws Exception {
        assertEquals(
                "[assistant](r)x\n[user]y\n[assistant]",
                prompt(
                        "{\"role\": \"assistant\", \"content\": \"x\", "
                                + field
                                + "}, {\"role\": \"user\", \"content\": \"y\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ", \"arguments\": null",
                ", \"arguments\": \" \"",
                ", \"arguments\": {}"
            })
    void missingArgumentsAreEmpty(String arguments) throws Exception {
        assertEquals(
                "[assistant]f{}\n[assistant]",
                prompt(
                        "{\"role\": \"assistant\", \"tool_calls\": [{\"function\": {\"name\":"
                                + " \"f\""
                                + arguments
                                + "}}]}"));
    }

    @Test
    void developerMessagesBecomeSystemMessages() throws Exception {
        assertEquals(
                "[system]x\n[user]y\n[assistant]",
                prompt(
                        "{\"role\": \"developer\", \"content\": \"x\"}, {\"role\": \"user\","
                                + " \"content\": \"y\"}"));
    }

    @Test
    void lateSystemMessagesMoveToTheFrontIfTheTemplateRefusesThem() throws Exception {
        assertEquals(
                "[system]a\n\nb\n\nc\n[user]x\n[assistant]y\n[assistant]",
                prompt(
                        "{\"role\": \"system\", \"content\": \"a\"},"
                                + "{\"role\": \"system\", \"content\": \"b\"},"
                                + "{\"role\": \"user\", \"content\": \"x\"},"
                                + "{\"role\": \"assistant\", \"content\": \"y\"},"
                                + "{\"role\": \"system\", \"content\": \"c\"}"));
    }

    @Test
    void lateSystemMessagesStayIfTheTemplateAcceptsThem() throws Exception {
        try (TestServer other =
                SmallChat.server(engine, SmallChat.TEMPLATE_WITHOUT_TOOLS, SmallChat.noCalls())) {
            assertEquals(
                    "xc",
                    prompt(
                            other,
                            "{\"role\": \"user\", \"content\": \"x\"},"
                                    + "{\"role\": \"system\", \"content\": \"c\"}"));
        }
    }

    @Test
    void templateErrorIsA400WithItsMessage() throws Exception {
        String template = "{{ raise_exception('only on Sundays') }}";
        try (TestServer other = SmallChat.server(engine, template, SmallChat.calls())) {
            HttpResponse<String> response =
                    other.post("/v1/chat/completions", TestServer.chatBody(""));

            assertEquals(400, response.statusCode());
            assertEquals(
                    "only on Sundays",
                    TestServer.json(response).at("/error/message").stringValue());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"role\": \"assistant\", \"tool_calls\": {}} | messages[0].tool_calls",
                "{\"role\": \"assistant\", \"tool_calls\": [1]} | messages[0].tool_calls[0]",
                "{\"role\": \"assistant\", \"tool_calls\": [{\"name\": \"f\"}]} |"
                        + " messages[0].tool_calls[0].function",
                "{\"role\": \"assistant\", \"reasoning_content\": {}} |"
                        + " messages[0].reasoning_content",
                "{\"role\": \"tool\", \"content\": \"\", \"tool_call_id\": 5} |"
                        + " messages[0].tool_call_id",
                "{\"role\": \"tool\", \"content\": {}} | messages[0].content"
            })
    void invalidMessageIsNamed(String message, String param) throws Exception {
        HttpResponse<String> response =
                server.post("/v1/chat/completions", "{\"messages\": [" + message + "]}");

        assertEquals(400, response.statusCode(), response.body());
        assertEquals(param, TestServer.json(response).at("/error/param").stringValue());
    }

    @Test
    void applyTemplateGeneratesNothing() throws Exception {
        HttpResponse<String> response =
                server.post(
                        "/apply-template",
                        TestServer.chatBody(
                                "\"enable_thinking\": true, \"tools\": [{\"name\": \"f\"}]"));

        JsonNode answer = TestServer.json(response);
        assertEquals(
                "{\"type\": \"function\", \"function\": {\"name\": \"f\"}}\n[user]Hi\n"
                        + "[assistant]<think>",
                answer.get("prompt").stringValue());
        assertEquals(
                SmallChat.answer(answer.get("prompt").stringValue()).length,
                answer.get("tokens").intValue());
        assertTrue(engine.requests.isEmpty());
        assertEquals(400, server.post("/apply-template", "{}").statusCode());
        assertEquals(405, server.get("/apply-template").statusCode());
    }

    /** A good body with other values in random places: an answer or a 400, never a server error. */
    @Test
    void invalidValuesAreClientErrors() throws Exception {
        engine.says(SmallChat.answer("ok" + SmallChat.call("f", "{}")));
        String good =
                "{\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\":"
                        + " \"x\"}]}, {\"role\": \"assistant\", \"content\": \"y\","
                        + " \"reasoning\": \"r\", \"tool_calls\": ["
                        + CALL
                        + "]}, {\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\": \"z\"}],"
                        + " \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"f\","
                        + " \"description\": \"d\", \"parameters\": {\"type\": \"object\","
                        + " \"properties\": {\"a\": {\"type\": \"integer\"}}}}}], \"tool_choice\":"
                        + " {\"type\": \"function\", \"function\": {\"name\": \"f\"}},"
                        + " \"parallel_tool_calls\": true, \"thinking\": {\"type\": \"enabled\","
                        + " \"budget_tokens\": 5}, \"reasoning\": {\"effort\": \"low\"},"
                        + " \"chat_template_kwargs\": {\"enable_thinking\": true}}";
        List<String> strange =
                List.of(
                        "null", "[]", "{}", "\"\"", "\"x\"", "-1", "1e300", "true", "[null]",
                        "[[]]");
        Random random = new Random(5);
        int answered = 0;
        int bodies = Effort.of(300, 1500);
        for (int i = 0; i < bodies; i++) {
            String body = good;
            for (int change = random.nextInt(2); change >= 0; change--) {
                body = changed(body, strange.get(random.nextInt(strange.size())), random);
            }
            HttpResponse<String> response = server.post("/v1/chat/completions", body);
            assertTrue(
                    response.statusCode() == 200 || response.statusCode() == 400,
                    response.statusCode() + " for " + body);
            answered += response.statusCode() == 200 ? 1 : 0;
        }
        assertTrue(answered > bodies / 15 && answered < bodies * 14 / 15, "answered " + answered);
    }

    /** Puts a value in the place of any value of an object. */
    private static String changed(String body, String value, Random random) {
        List<ObjectNode> objects = new ArrayList<>();
        JsonNode root = Json.MAPPER.readTree(body);
        collect(root, objects);
        ObjectNode object = objects.get(random.nextInt(objects.size()));
        List<String> names = List.copyOf(object.propertyNames());
        if (!names.isEmpty()) {
            object.set(names.get(random.nextInt(names.size())), Json.MAPPER.readTree(value));
        }
        return Json.write(root);
    }

    private static void collect(JsonNode node, List<ObjectNode> objects) {
        if (node instanceof ObjectNode object) {
            objects.add(object);
        }
        node.forEach(child -> collect(child, objects));
    }

    /** Contents that are null, empty and missing give the tokens of an empty string. */
    @ParameterizedTest
    @EnumSource(ChatFamily.class)
    void missingContentIsEmpty(ChatFamily family) throws Exception {
        engine.says(family.answer("ok"));
        try (TestServer other = TestServer.of(family.served(engine))) {
            for (String content : List.of("\"content\": null,", "\"content\": \"\",", "")) {
                other.post(
                        "/v1/chat/completions",
                        "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}, {\"role\":"
                                + " \"assistant\", "
                                + content
                                + " \"tool_calls\": ["
                                + CALL
                                + "]}, {\"role\": \"tool\", \"tool_call_id\": \"c1\", \"content\":"
                                + " \"x\"}]}");
            }
        }

        int[] expected =
                family.prompt(
                        Map.of(
                                "messages",
                                List.of(
                                        Map.of("role", "user", "content", "Hi"),
                                        Map.of(
                                                "role",
                                                "assistant",
                                                "content",
                                                "",
                                                "tool_calls",
                                                List.of(
                                                        Json.plain(
                                                                Json.MAPPER.readTree(
                                                                        CALL.replace("\"{", "{")
                                                                                .replace("}\"", "}")
                                                                                .replace(
                                                                                        "\\\"",
                                                                                        "\""))))),
                                        Map.of(
                                                "role",
                                                "tool",
                                                "name",
                                                "f",
                                                "tool_call_id",
                                                "c1",
                                                "content",
                                                "x"))));
        assertEquals(3, engine.requests.size());
        engine.requests.forEach(request -> assertArrayEquals(expected, request.prompt().tokens()));
    }

    private String prompt(String messages) throws Exception {
        return prompt(server, messages);
    }

    private String prompt(TestServer asked, String messages) throws Exception {
        return prompt(asked, messages, "");
    }

    private String prompt(TestServer asked, String messages, String fields) throws Exception {
        HttpResponse<String> response =
                asked.post(
                        "/v1/chat/completions", "{\"messages\": [" + messages + "]" + fields + "}");
        assertEquals(200, response.statusCode(), response.body());
        return SmallChat.text(engine.requests.getLast().prompt().tokens());
    }
}
