package dev.varve.platform.http.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.compression.conversation.ChatMlRenderer;
import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class ForwardedMessagesTest {
    private static Optional<ForwardedMessages> read(String messages) {
        return ForwardedMessages.of(Json.MAPPER.readTree(messages));
    }

    private static JsonNode shortened(String message, String text) {
        ForwardedMessages messages = read("[" + message + "]").orElseThrow();
        Map<String, Object> shorter = new HashMap<>(messages.plain().getFirst());
        shorter.put("content", text);
        messages.shorten(List.of(shorter));
        return messages.nodes().getFirst();
    }

    /** Some servers refuse empty texts. */
    @Test
    void fullyRemovedTextLeavesAMarker() {
        JsonNode left = shortened("{\"role\":\"user\",\"content\":\"long\",\"name\":null}", "");

        assertEquals(
                Json.MAPPER.readTree("{\"role\":\"user\",\"content\":\"…\",\"name\":null}"), left);
    }

    @Test
    void emptyTextStaysEmpty() {
        String call = "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\"}]}";

        assertEquals(Json.MAPPER.readTree(call), shortened(call, ""));
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "[]", "{}", "[1]", "[{}]", "[{\"role\":1}]", "[{\"role\":null}]"})
    void invalidMessagesAreLeftToTheUpstream(String messages) {
        assertEquals(Optional.empty(), read(messages));
    }

    @Test
    void drafterGetsTextsAndRoles() {
        ForwardedMessages messages =
                read("[{\"role\":\"developer\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
                                + "{\"type\":\"image_url\"},{\"type\":\"text\",\"text\":\"b\"}]},"
                                + "{\"role\":\"user\",\"content\":\"c\"}]")
                        .orElseThrow();

        assertEquals(
                "<|im_start|>system\nab<|im_end|>\n<|im_start|>user\nc<|im_end|>\n"
                        + "<|im_start|>assistant\n",
                ChatMlRenderer.render(messages.plain()).text());
    }
}
