package dev.varve.platform.http.json;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

class JsonTest {
    private static String refusal(byte[] body) {
        return assertThrows(ApiException.class, () -> Json.parse(body)).getMessage();
    }

    private static String refusal(String body) {
        return refusal(body.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{                   | the body ends inside a JSON value",
                "{\"a\": [1, 2     | the body ends inside a JSON value",
                "{\"a\" 1}         | expected a colon after a name",
                "{\"a\": 1 \"b\"} | expected a comma or the end of a list",
                "{a: 1}              | expected a name in double quotes",
                "{\"a\": 01}       | found a number in a form that JSON does not allow",
                "{\"a\": [}        | found a closing bracket of another kind than the open one",
                "{} {}               | expected the end of the body, found more text",
                "{\"a\": \"\\x\"} | found an invalid escape or an unescaped control"
                        + " character in a string",
                "{/**/}              | found a comment, which JSON does not allow",
                "{\"a\": secret}   | expected a string, a number, true, false, null, { or ["
            })
    void parseErrorOmitsTheSurroundingText(String body, String reason) {
        String message = refusal(body);

        assertTrue(message.startsWith("the request body is not valid JSON at line 1, "), message);
        assertTrue(message.endsWith(reason), message);
        assertFalse(message.contains("secret"), message);
    }

    @Test
    void parseErrorHasItsPosition() {
        String message = refusal("{\n \"a\": 1,\n \"b\" 2}");

        assertTrue(message.contains("at line 3, column "), message);
        assertTrue(message.contains("(byte "), message);
    }

    @Test
    void limitsAreNamed() {
        String deep = "[".repeat(Json.MAX_DEPTH) + "]".repeat(Json.MAX_DEPTH);
        String name = "\"" + "n".repeat(60_000) + "\"";
        String number = "1" + "0".repeat(2_000);

        assertTrue(refusal("{\"a\": " + deep + "}").contains("nested deeper than"));
        assertTrue(refusal("{" + name + ": 1}").contains("a name is longer than"));
        assertTrue(refusal("{\"a\": " + number + "}").contains("a number is longer than"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "null", "\"a\""})
    void bodyMustBeAnObject(String body) {
        assertEquals("the request body must be a JSON object", refusal(body));
    }

    @Test
    void otherEncodingsAreRefused() {
        assertTrue(
                refusal("{}".getBytes(StandardCharsets.UTF_16BE))
                        .contains("it has a zero at byte 0"));
        assertTrue(
                refusal("{}".getBytes(StandardCharsets.UTF_16LE))
                        .contains("it has a zero at byte 1"));
    }

    @ParameterizedTest
    @CsvSource({"C0AF, 0", "61ED A080, 1", "6162FF, 2", "F4908080, 0", "61C3, 1", "E282, 0"})
    void invalidUtf8IsRefusedAtItsByte(String hex, int at) {
        byte[] text = HexFormat.of().parseHex(hex.replace(" ", ""));

        String message =
                assertThrows(ApiException.class, () -> Utf8Validator.check(text)).getMessage();

        assertTrue(message.endsWith("a malformed sequence at byte " + at), message);
    }

    @Test
    void allCharactersAreAccepted() {
        String all = "a\u00e9\u20ac\ud83d\ude00\ufffd".repeat(5_000);

        assertDoesNotThrow(() -> Utf8Validator.check(all.getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void templatesGetPlainValues() {
        Object plain =
                Json.plain(
                        Json.MAPPER.readTree(
                                "{\"b\": [1, 2.5, true, null, \"x\"],"
                                        + " \"a\": 99999999999999999999}"));

        assertEquals("{b=[1, 2.5, true, null, x], a=99999999999999999999}", plain.toString());
        assertEquals(Long.class, ((List<?>) ((Map<?, ?>) plain).get("b")).getFirst().getClass());
    }
}
