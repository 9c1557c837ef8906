package dev.varve.platform.http.openai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;

class ChatMessagesTest {
    private static final String HEADER = "x-anthropic-billing-header:";

    private static List<Map<String, Object>> read(String json) {
        return ChatMessages.read(Json.MAPPER.readTree(json)).messages();
    }

    private static String refusal(String json) {
        return assertThrows(ApiException.class, () -> read(json)).getMessage();
    }

    @Test
    void partsAreJoinedToOneText() {
        assertEquals(
                List.of(Map.of("role", "user", "content", "ab")),
                read(
                        "[{\"role\": \"user\", \"content\": [{\"type\": \"text\","
                                + " \"text\": \"a\"}, \"b\"]}]"));
    }

    @Test
    void roleAliasesAreMapped() {
        List<Map<String, Object>> messages =
                read(
                        "[{\"role\": \"developer\", \"content\": \"d\"},"
                                + " {\"role\": \"function\", \"content\": \"f\"}]");

        assertEquals("system", messages.get(0).get("role"));
        assertEquals("tool", messages.get(1).get("role"));
        assertEquals("unknown", messages.get(1).get("name"));
    }

    @Test
    void resultHasTheNameOfItsCall() {
        List<Map<String, Object>> messages =
                read(
                        "[{\"role\": \"assistant\", \"tool_calls\": [{\"id\": \"c1\","
                                + " \"function\": {\"name\": \"look\", \"arguments\":"
                                + " \"{\\\"x\\\": 1}\"}}]},"
                                + " {\"role\": \"tool\", \"tool_call_id\": \"c1\","
                                + " \"content\": \"r\"},"
                                + " {\"role\": \"tool\", \"tool_call_id\": \"c2\","
                                + " \"content\": \"r\"}]");

        assertEquals("", messages.get(0).get("content"));
        assertEquals(
                "[{id=c1, function={name=look, arguments={x=1}}}]",
                messages.get(0).get("tool_calls").toString());
        assertEquals("look", messages.get(1).get("name"));
        assertEquals("unknown", messages.get(2).get("name"));
    }

    @Test
    void resultWithoutAnIdBelongsToTheLastCallWithoutOne() {
        List<Map<String, Object>> messages =
                read(
                        "[{\"role\": \"assistant\", \"tool_calls\": [{\"function\":"
                                + " {\"name\": \"look\"}}]},"
                                + " {\"role\": \"tool\", \"content\": \"r\"}]");

        assertEquals("look", messages.get(1).get("name"));
    }

    @ParameterizedTest
    @CsvSource({
        "'\"id\": \"\",', ''",
        "'', '\"tool_call_id\": \"\",'",
        "'\"id\": \"\",', '\"tool_call_id\": \"\",'"
    })
    void emptyIdIsNone(String idOfCall, String idOfResult) {
        List<Map<String, Object>> messages =
                read(
                        "[{\"role\": \"assistant\", \"tool_calls\": [{"
                                + idOfCall
                                + " \"function\": {\"name\": \"look\"}}]}, {"
                                + idOfResult
                                + " \"role\": \"tool\", \"content\": \"r\"}]");

        assertEquals("look", messages.get(1).get("name"));
    }

    @Test
    void truncatedCallIsReadAsFarAsPossible() {
        List<Map<String, Object>> messages =
                read(
                        "[{\"role\": \"assistant\", \"tool_calls\": [{\"function\":"
                                + " {\"name\": \"look\", \"arguments\":"
                                + " \"{\\\"x\\\": 1, \\\"y\\\": \\\"a b\"}}]}]");

        assertEquals(
                "[{function={name=look, arguments={x=1, y=a b}}}]",
                messages.getFirst().get("tool_calls").toString());
    }

    @Test
    void reasoningHasOneFieldName() {
        assertEquals(
                "t",
                read("[{\"role\": \"assistant\", \"content\": \"a\"," + " \"reasoning\": \"t\"}]")
                        .getFirst()
                        .get("reasoning_content"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]                               | messages: expected a non-empty array",
                "{}                               | messages: expected a non-empty array",
                "[1]                              | messages[0]: expected an object",
                "[{\"content\": \"a\"}]       | messages[0].role: expected one of",
                "[{\"role\": \"user\"}]       | messages[0].content: expected a string or",
                "[{\"role\": \"user\", \"content\": 1}] | messages[0].content: expected a",
                "[{\"role\": \"user\", \"content\": [{\"type\": \"image_url\"}]}]"
                        + " | messages[0].content: this model reads text only, found an image",
                "[{\"role\": \"assistant\", \"tool_calls\": 1}]"
                        + " | messages[0].tool_calls: expected an array, found 1",
                "[{\"role\": \"assistant\", \"tool_calls\": [{}]}]"
                        + " | messages[0].tool_calls[0].function: expected an object with a name",
                "[{\"role\": \"tool\", \"content\": \"r\", \"tool_call_id\": 1}]"
                        + " | messages[0].tool_call_id: expected a string, found 1"
            })
    void errorNamesItsMessage(String json, String message) {
        assertTrue(refusal(json).startsWith(message), refusal(json));
    }

    @Test
    void lateSystemMessageCanBeMovedToTheFront() {
        Transcript messages =
                ChatMessages.read(
                        Json.MAPPER.readTree(
                                "[{\"role\": \"user\", \"content\": \"a\"},"
                                        + " {\"role\": \"system\", \"content\": \"s\"},"
                                        + " {\"role\": \"user\", \"content\": \"b\"}]"));

        assertTrue(messages.hasLateSystem());
        assertEquals(
                List.of("s", "a", "b"),
                messages.systemFirst().messages().stream()
                        .map(message -> message.get("content"))
                        .toList());
        assertFalse(messages.systemFirst().hasLateSystem());
    }

    @Test
    void onlySystemMessagesAreRead() {
        String content = HEADER + " cch=1;\\nText";

        List<Map<String, Object>> messages =
                ChatMessages.read(
                                Json.MAPPER.readTree(
                                        "[{\"role\": \"system\", \"content\": \"C\"},"
                                                        .replace("C", content)
                                                + " {\"role\": \"user\", \"content\": \"C\"},"
                                                        .replace("C", content)
                                                + " {\"role\": \"developer\", \"content\": \"C\"}]"
                                                        .replace("C", content)))
                        .messages();

        assertEquals(HEADER + "\nText", messages.get(0).get("content"));
        assertEquals(HEADER + " cch=1;\nText", messages.get(1).get("content"));
        assertEquals(HEADER + "\nText", messages.get(2).get("content"));
    }

    /** The client sends the header as a part of its own, without a line feed behind it. */
    @Test
    void partEndsItsLastLine() {
        assertEquals(content("cch=12345;"), content("cch=6;"));
        assertEquals("Before." + HEADER + "You are helpful.", content("cch=1;"));
    }

    private static Object content(String value) {
        ObjectNode message = Json.object().put("role", "system");
        message.putArray("content")
                .add("Before.")
                .addObject()
                .put("type", "text")
                .put("text", HEADER + " " + value);
        ((tools.jackson.databind.node.ArrayNode) message.get("content")).add("You are helpful.");
        return ChatMessages.read(Json.MAPPER.createArrayNode().add(message))
                .messages()
                .getFirst()
                .get("content");
    }
}
