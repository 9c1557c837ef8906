package dev.varve.platform.http.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;

class EventBlockTest {
    private static String joinable(String block) {
        return new String(
                EventBlock.joinable(block.translateEscapes().getBytes(StandardCharsets.UTF_8)),
                StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {}\\n\\n",
                "data\\n\\n",
                ": c\\r\\ndata:x\\r\\n\\r\\n",
                "event: a\\nid: 1\\ndata: ö\\n\\n"
            })
    void eventIsUnchanged(String block) {
        assertEquals(block.translateEscapes(), joinable(block), block);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ": PROCESSING\\n\\n           | : PROCESSING\\n",
                ":\\r\\n\\r\\n                | :\\n",
                ": a\\n: data: b\\n\\n        | : a\\n: data: b\\n",
                "id: 7\\nretry: 5\\n\\n       | id: 7\\nretry: 5\\n",
                "event: ping\\n\\n            | ''",
                "database: x\\n\\n            | database: x\\n",
                "\\n                          | ''"
            })
    void blockWithoutDataJoinsTheNextOne(String block, String expected) {
        assertEquals(expected.translateEscapes(), joinable(block), block);
    }
}
