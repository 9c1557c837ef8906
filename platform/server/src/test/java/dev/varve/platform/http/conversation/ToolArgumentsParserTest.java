package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.util.Optional;
import java.util.stream.IntStream;

class ToolArgumentsParserTest {
    private static final String OBJECT =
            "{\"a\": \"x\\\"}\\u00e9\\\\\", \"b\": [1, {\"c\": null, \"d\": []}, true], \"e\": {}}";

    @Test
    void objectIsUnchanged() {
        assertEquals(Json.MAPPER.readTree(OBJECT), ToolArgumentsParser.read(OBJECT).orElseThrow());
    }

    @Test
    void truncatedObjectIsCompletedWithoutAdditions() {
        JsonNode whole = Json.MAPPER.readTree(OBJECT);
        for (int end = 0; end <= OBJECT.length(); end++) {
            String text = OBJECT.substring(0, end);
            JsonNode read =
                    ToolArgumentsParser.read(text)
                            .orElseThrow(() -> new AssertionError("'" + text));

            assertTrue(isPartOf(read, whole), () -> text + " -> " + read);
        }
    }

    private static boolean isPartOf(JsonNode part, JsonNode whole) {
        if (part.isString()) {
            return whole.isString() && whole.stringValue().startsWith(part.stringValue());
        }
        if (part.isArray()) {
            return whole.isArray()
                    && part.size() <= whole.size()
                    && IntStream.range(0, part.size())
                            .allMatch(at -> isPartOf(part.get(at), whole.get(at)));
        }
        return part.isObject()
                ? part.propertyStream()
                        .allMatch(
                                member ->
                                        whole.has(member.getKey())
                                                && isPartOf(
                                                        member.getValue(),
                                                        whole.get(member.getKey())))
                : part.equals(whole);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"city\": \"Par            | {\"city\":\"Par\"}",
                "{\"city\": \"a\\            | {\"city\":\"a\"}",
                "{\"city\": \"a\\u00         | {\"city\":\"a\"}",
                "{\"city\": \"a\", \"ni      | {\"city\":\"a\"}",
                "{\"city\": \"a\", \"nights\": | {\"city\":\"a\"}",
                "{\"city\": \"a\", \"b\": tr | {\"city\":\"a\"}",
                "{\"list\": [1, {\"a\": [2,  | {\"list\":[1,{\"a\":[2]}]}",
            })
    void completeValuesAreKept(String text, String object) {
        assertEquals(object, ToolArgumentsParser.read(text).orElseThrow().toString());
    }

    @Test
    void emptyTextIsAnEmptyObject() {
        assertEquals(Optional.of(Json.object()), ToolArgumentsParser.read(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"go", "1", "[1", "\"a", "null", "}", "{\"a\": 1} and", "{\"a\": 1}{"})
    void nonObjectIsRefused(String text) {
        assertEquals(Optional.empty(), ToolArgumentsParser.read(text));
    }

    @Test
    void deeplyNestedTextIsRefusedSoon() {
        assertEquals(Optional.empty(), ToolArgumentsParser.read("{\"a\":[".repeat(1_000_000)));
    }
}
