package dev.varve.platform.compression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class PromptMessageTest {
    private static final JsonMapper MAPPER = new JsonMapper();

    @SuppressWarnings("unchecked")
    private static PromptMessage message(String json) {
        return new PromptMessage(
                (Map<String, Object>) MAPPER.readValue(json.replace('\'', '"'), Object.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'role': 'assistant', 'content': 'x'}",
                "{'role': 'assistant', 'content': ''}",
                "{'role': 'user', 'tool_calls': [{'id': 'a'}]}",
                "{'role': 'user', 'content': [{'type': 'text', 'text': 'x'}, {'type':"
                        + " 'tool_use'}]}",
                "{'role': 'user', 'content': [{'type': 'tool_result', 'content': 'x'}]}",
                "{'type': 'function_call', 'name': 'f'}",
                "{'type': 'function_call_output', 'output': 'x'}",
                "{'role': 'tool', 'content': 'x'}",
            })
    void conversationWithAnAssistantMessageIsAContinuation(String json) {
        assertTrue(
                PromptMessage.isContinuation(
                        List.of(message("{'role': 'user', 'content': 'q'}"), message(json))),
                json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'role': 'system', 'content': 'assistant'}",
                "{'role': 'user', 'content': 'function_call'}",
                "{'role': 'user', 'content': [{'type': 'text', 'text': 'tool_use'}]}",
                "{'role': 'user', 'tool_calls': []}",
                "{'role': 'user', 'tool_calls': null}",
                "{'role': 'user', 'content': null}",
                "{'role': 'user', 'content': ['tool_use']}",
                "{'type': 'message', 'role': 'user', 'content': 'x'}",
                "{'role': 7, 'type': []}",
                "{}",
            })
    void firstTurnIsNoContinuation(String json) {
        assertFalse(PromptMessage.isContinuation(List.of(message(json))), json);
        assertFalse(PromptMessage.isContinuation(List.of()));
    }

    @Test
    void textJoinsAllTextParts() {
        assertEquals("x", message("{'content': 'x'}").text());
        assertEquals(
                "abc",
                message(
                                "{'content': [{'type': 'text', 'text': 'a'}, 'b', {'type':"
                                    + " 'image'}, {'type': 'output_text', 'text': 'c'}, {'type':"
                                    + " 'text'}]}")
                        .text());
        assertEquals("", message("{'content': null}").text());
        assertEquals("", message("{}").text());
        assertEquals("user", message("{'role': 'user'}").role());
        assertEquals("", message("{}").role());
    }

    @Test
    void replacedTextKeepsAllOtherFields() {
        PromptMessage call =
                message("{'role': 'assistant', 'content': 'long', 'tool_calls': [{'id': 'a'}]}");

        assertEquals(
                message("{'role': 'assistant', 'content': 'short', 'tool_calls': [{'id': 'a'}]}"),
                call.withText("short"));
        assertEquals("long", call.text());
    }

    @Test
    void nonTextPartsKeepTheirPlace() {
        PromptMessage before =
                message(
                        "{'role': 'tool', 'content': [{'type': 'image', 'id': 1},"
                                + " {'type': 'text', 'text': 'a', 'lang': 'en'}, {'type':"
                                + " 'tool_result'}, {'type': 'text', 'text': 'b'}]}");

        PromptMessage after = before.withText("c");

        assertEquals(
                message(
                        "{'role': 'tool', 'content': [{'type': 'image', 'id': 1},"
                                + " {'type': 'text', 'text': 'c', 'lang': 'en'}, {'type':"
                                + " 'tool_result'}]}"),
                after);
        assertEquals("c", after.text());
        assertEquals("ab", before.text());
        assertEquals(
                List.of("c"),
                new PromptMessage(Map.of("content", new ArrayList<>(List.of("a", "b"))))
                        .withText("c")
                        .fields()
                        .get("content"));
    }
}
