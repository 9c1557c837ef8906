package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonObjectEndDetectorTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"a\": {\"b\": [1, 2]}}",
                "{\"a\": \"}\"}",
                "{\"a\": \"\\\"}\"}",
                "{\"a\": \"\\\\\"}",
                "[{}]"
            })
    void objectEndIsFoundForAnyFragmentation(String json) {
        for (int cut = 0; cut <= json.length(); cut++) {
            JsonObjectEndDetector end = new JsonObjectEndDetector();
            end.push(json.substring(0, cut));
            assertEquals(cut == json.length(), end.isReached(), json.substring(0, cut));
            end.push(json.substring(cut));
            assertTrue(end.isReached(), json);
        }
    }

    @Test
    void textBehindTheEndIsIgnored() {
        JsonObjectEndDetector end = new JsonObjectEndDetector();

        end.push("{} {");

        assertTrue(end.isReached());
    }
}
