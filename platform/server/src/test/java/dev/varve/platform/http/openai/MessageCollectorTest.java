package dev.varve.platform.http.openai;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ToolCallDelta;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;
import java.util.Set;

class MessageCollectorTest {
    private static ResponseParser.Piece piece(
            String reasoning, String content, ToolCallDelta... calls) {
        return new ResponseParser.Piece(reasoning, content, List.of(calls));
    }

    @Test
    void textsAreConcatenated() {
        MessageCollector message = new MessageCollector(Set.of());
        message.add(piece("th", ""));
        message.add(piece("ink", "He"));
        message.add(piece("", "llo"));

        assertEquals(
                "{\"role\":\"assistant\",\"content\":\"Hello\",\"reasoning_content\":\"think\","
                        + "\"reasoning\":\"think\"}",
                message.json().toString());
    }

    @Test
    void callsWithoutTextHaveNoContent() {
        MessageCollector message = new MessageCollector(Set.of());
        message.add(piece("", "", new ToolCallDelta(0, Optional.of("look"), "{\"x\"")));
        message.add(piece("", "", new ToolCallDelta(0, Optional.empty(), ":1}")));
        message.add(piece("", "", new ToolCallDelta(1, Optional.of("go"), "{}")));

        JsonNode json = message.json();

        assertTrue(json.get("content").isNull(), json.toString());
        assertEquals("look", json.at("/tool_calls/0/function/name").stringValue());
        assertEquals("{\"x\":1}", json.at("/tool_calls/0/function/arguments").stringValue());
        assertEquals("go", json.at("/tool_calls/1/function/name").stringValue());
        assertNotEquals(json.at("/tool_calls/0/id"), json.at("/tool_calls/1/id"));
    }

    @Test
    void emptyResponseIsAnEmptyText() {
        assertEquals(
                "{\"role\":\"assistant\",\"content\":\"\"}",
                new MessageCollector(Set.of()).json().toString());
    }
}
