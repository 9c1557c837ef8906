package dev.varve.platform.http.json;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

class RequestFieldsTest {
    private static RequestFields fields(String json) {
        return new RequestFields(Json.parse(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static String refusal(Executable use) {
        ApiException refusal = assertThrows(ApiException.class, use);
        assertEquals(400, refusal.status());
        return refusal.param().orElse("") + ": " + refusal.getMessage();
    }

    @Test
    void nullEqualsAbsent() {
        RequestFields fields = fields("{\"a\": null}");

        assertEquals(Optional.empty(), fields.find("a"));
        assertEquals(Optional.empty(), fields.flag("a"));
        assertEquals(Optional.empty(), fields.text("b"));
        assertEquals(OptionalLong.empty(), fields.whole("a", 0, 1));
        assertEquals(OptionalDouble.empty(), fields.number("a", 0, 1));
        assertEquals(Optional.empty(), fields.nested("a").map(inner -> inner));
        assertEquals(List.of(), fields.texts("a", 1, 1));
        assertEquals("a: a: missing", refusal(() -> fields.require("a")));
    }

    @ParameterizedTest
    @CsvSource({"64, 64", "64.0, 64", "6.4e1, 64", "0, 0", "100, 100"})
    void integersMayHaveAnyNotation(String text, long expected) {
        assertEquals(OptionalLong.of(expected), fields("{\"n\": " + text + "}").whole("n", 0, 100));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "101", "1.5", "1e300", "99999999999999999999", "true"})
    void otherNumbersAreNamedWithTheirBounds(String text) {
        assertEquals(
                "n: n: expected a whole number from 0 to 100, found " + text,
                refusal(() -> fields("{\"n\": " + text + "}").whole("n", 0, 100))
                        .replace("1.0E300", "1e300"));
    }

    @Test
    void clientTextIsNeverRepeated() {
        RequestFields fields = fields("{\"a\": \"secret\", \"b\": [\"secret\"], \"c\": {}}");

        assertEquals("a: a: expected true or false, found string", refusal(() -> fields.flag("a")));
        assertEquals("b: b: expected a string, found array", refusal(() -> fields.text("b")));
        assertEquals(
                "c: c: expected a number from 0.0 to 1.0, found object",
                refusal(() -> fields.number("c", 0, 1)));
        assertEquals("a: a: expected an object, found string", refusal(() -> fields.object("a")));
    }

    @Test
    void nestedFieldsAreNamedWithTheirPath() {
        RequestFields inner = fields("{\"a\": {\"b\": {\"c\": 1}}}").nested("a").orElseThrow();

        assertEquals(
                "a.b.c: a.b.c: expected a string, found 1",
                refusal(() -> inner.nested("b").orElseThrow().text("c")));
        assertEquals("a.x: a.x: missing", refusal(() -> inner.require("x")));
    }

    @Test
    void stringCountsAsAListOfOne() {
        assertEquals(List.of("x"), fields("{\"s\": \"x\"}").texts("s", 2, 3));
        assertEquals(List.of("x", "y"), fields("{\"s\": [\"x\", \"y\"]}").texts("s", 2, 3));
        assertEquals(List.of("x"), fields("{\"s\": [\"\", \"x\", \"\"]}").texts("s", 2, 3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "5                      | expected a string or an array of strings, found 5",
                "[1]                    | expected a string or an array of strings, found array",
                "[\"a\",\"b\",\"c\"] | expected at most 2 strings, found 3",
                "\"long\"             | expected strings of at most 3 characters"
            })
    void listsOfStringsHaveLimits(String value, String message) {
        assertEquals(
                "s: s: " + message,
                refusal(() -> fields("{\"s\": " + value + "}").texts("s", 2, 3)));
    }

    @Test
    void tokenIdsAreInTheVocabulary() {
        assertArrayEquals(new int[] {0, 9}, ids("[0, 9]"));
        for (String bad : List.of("[10]", "[-1]", "[1.0]", "[\"1\"]", "[99999999999]", "[null]")) {
            assertTrue(refusal(() -> ids(bad)).contains("expected token ids from 0 to 9"), bad);
        }
    }

    private static int[] ids(String json) {
        return RequestFields.tokenIds("prompt", Json.MAPPER.readTree(json), 10);
    }
}
