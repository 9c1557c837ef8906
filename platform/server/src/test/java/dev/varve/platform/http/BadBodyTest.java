package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Errors that clients get for bodies that the server cannot read. */
class BadBodyTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{ | line 1, column 2 (byte 1): the body ends inside a JSON value",
                "{\"a\":\"b | (byte 7): the body ends inside a JSON value",
                "{\"a\":1,} | column 8 (byte 7): expected a name in double quotes",
                "{secret:1} | column 2 (byte 1): expected a name in double quotes",
                "{\"a\" secret} | (byte 5): expected a colon",
                "{\"a\":secret} | expected a string, a number, true",
                "{\"a\":NaN} | expected a string, a number, true",
                "{\"a\":1 2} | (byte 7): expected a comma",
                "{\"a\":[1} | (byte 7): found a closing bracket of another kind than the open one",
                "{\"a\":01} | found a number in a form that JSON does not allow",
                "{\"a\":1.} | found a number in a form that JSON does not allow",
                "{\"a\":\"\\q\"} | found an invalid escape",
                "{}{} | expected the end of the body, found more text",
                "{} secret | (byte 3)",
                "[1]] | (byte 3)",
                "// secret | found a comment, which JSON does not allow",
                "[] | must be a JSON object",
                "`` | must be a JSON object"
            })
    void invalidJsonIsReportedWithPositionAndReason(String body, String message) {
        String refusal = refusal(body.getBytes(StandardCharsets.UTF_8));

        assertTrue(refusal.contains(message), refusal);
        assertFalse(refusal.contains("secret") || refusal.contains("code "), refusal);
    }

    @Test
    void linesCountFromOne() {
        String refusal = refusal("{\"a\": 1,\n  oh}".getBytes(StandardCharsets.UTF_8));

        assertTrue(refusal.contains("line 2, column 3 (byte 11)"), refusal);
    }

    @Test
    void nestingBeyondItsLimitIsReported() {
        int most = Json.MAX_DEPTH - 1;

        Json.parse(nested(most).getBytes(StandardCharsets.UTF_8));

        String refusal = refusal(nested(most + 1).getBytes(StandardCharsets.UTF_8));
        assertTrue(refusal.contains("exceeds a limit"), refusal);
        assertTrue(refusal.contains("nested deeper than " + Json.MAX_DEPTH + " levels"), refusal);
        assertTrue(refusal.contains("line 1, column "), refusal);
    }

    private static String nested(int depth) {
        return "{\"a\":" + "[".repeat(depth) + "]".repeat(depth) + "}";
    }

    @Test
    void longNameOrNumberIsReported() {
        String name =
                refusal(("{\"" + "k".repeat(10 << 20) + "\":1}").getBytes(StandardCharsets.UTF_8));
        String number =
                refusal(("{\"a\":" + "1".repeat(5000) + "}").getBytes(StandardCharsets.UTF_8));

        assertTrue(name.contains("a name is longer than 50000 characters"), name);
        assertTrue(number.contains("a number is longer than 1000 characters"), number);
    }

    @Test
    void bodyWithTooManyElementsIsReported() {
        String body = "{\"a\":[" + "1,".repeat(Json.MAX_ELEMENTS) + "1]}";

        String refusal = refusal(body.getBytes(StandardCharsets.UTF_8));

        assertTrue(refusal.contains("more than 2000000 names, values and brackets"), refusal);
    }

    /** {"a":"…"}: the sequence begins at byte 6. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "c0af",
                "c1bf",
                "e080af",
                "e09fbf",
                "f08080af",
                "f08fbfbf",
                "eda080",
                "edbfbf",
                "f4908080",
                "f5808080",
                "80",
                "bf",
                "c3",
                "e282",
                "f09f98",
                "ff",
                "fe",
                "eda0bdedb880"
            })
    void invalidUtf8IsRefusedWithItsPosition(String sequence) {
        byte[] text = HexFormat.of().parseHex("7b2261223a22" + sequence + "227d");

        assertEquals(
                "the request body is not valid UTF-8: a malformed sequence at byte 6",
                refusal(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"é", "€", "😀", "\u0000", "\uFFFF", "\uDBFF\uDFFF"})
    void allOfUnicodeIsAccepted(String text) {
        String value = text.equals("\u0000") ? "\\u0000" : text;

        assertEquals(
                text,
                Json.parse(("{\"a\":\"" + value + "\"}").getBytes(StandardCharsets.UTF_8))
                        .get("a")
                        .stringValue());
    }

    @Test
    void otherEncodingsAreRefused() {
        assertTrue(refusal("{}".getBytes(StandardCharsets.UTF_16LE)).contains("zero at byte 1"));
        assertTrue(refusal("{}".getBytes(StandardCharsets.UTF_16BE)).contains("zero at byte 0"));
        assertTrue(refusal("{}".getBytes(StandardCharsets.UTF_16)).contains("not valid UTF-8"));
    }

    private static String refusal(byte[] body) {
        ApiException refusal = assertThrows(ApiException.class, () -> Json.parse(body));
        assertEquals(400, refusal.status());
        return refusal.getMessage();
    }
}
