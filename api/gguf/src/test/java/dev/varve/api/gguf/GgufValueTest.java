package dev.varve.api.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.charset.StandardCharsets;
import java.util.stream.IntStream;

/** Descriptions of values for people. */
class GgufValueTest {
    @ParameterizedTest
    @CsvSource({"u64, -1, 18446744073709551615", "i64, -1, -1", "u8, 255, 255", "i32, -7, -7"})
    void integersAreShownByWidthAndSign(String type, long bits, String text) {
        assertEquals(text, new GgufValue.Whole(type, bits).describe());
    }

    @Test
    void floatsAreShownWithFullPrecision() {
        assertEquals("0.1", new GgufValue.Real("f32", 0.1f).describe());
        assertEquals("0.1", new GgufValue.Real("f64", 0.1).describe());
        assertEquals(
                Double.toString(0.1f),
                new GgufValue.Real("f64", 0.1f).describe(),
                "f64 of a float");
    }

    @Test
    void everyValueNamesItsType() {
        assertEquals("bool", new GgufValue.Bool(true).typeName());
        assertEquals("true", new GgufValue.Bool(true).describe());
        assertEquals("string", text("x").typeName());
        assertEquals("array of i64", new GgufValue.Wholes("i64", new long[0]).typeName());
        assertEquals("array of u8", new GgufValue.SmallWholes("u8", new int[0]).typeName());
        assertEquals("array of f32", new GgufValue.Reals("f32", new double[0]).typeName());
        assertEquals("array of string", texts().typeName());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 199, 200})
    void stringsUpTo200CharactersAreShownWhole(int length) {
        assertEquals("a".repeat(length), text("a".repeat(length)).describe());
    }

    @Test
    void longerStringsAreTruncated() {
        assertEquals("b".repeat(200) + "… (201 characters)", text("b".repeat(201)).describe());
    }

    @Test
    void invalidUtf8DoesNotFail() {
        GgufValue.Text invalid = new GgufValue.Text(new byte[] {(byte) 0xFF, 'x'});

        assertEquals("\uFFFDx", invalid.value());
    }

    @Test
    void arraysUpTo8ElementsAreShownWhole() {
        long[] eight = {1, 2, 3, 4, 5, 6, 7, 8};

        assertEquals("[]", new GgufValue.Wholes("i64", new long[0]).describe());
        assertEquals("[1, 2, 3, 4, 5, 6, 7, 8]", new GgufValue.Wholes("i64", eight).describe());
        assertEquals("[0.5]", new GgufValue.Reals("f64", new double[] {0.5}).describe());
        assertEquals("[a, ]", texts("a", "").describe());
    }

    @Test
    void longerArraysAreTruncatedWithTheirLength() {
        String shown = "[0, 1, 2, 3, 4, 5, 6, 7, …] (9 values)";

        assertEquals(
                shown,
                new GgufValue.Wholes("i64", new long[] {0, 1, 2, 3, 4, 5, 6, 7, 8}).describe());
        assertEquals(
                shown, new GgufValue.SmallWholes("u8", IntStream.range(0, 9).toArray()).describe());
        assertTrue(
                new GgufValue.Reals("f64", new double[1000]).describe().endsWith("(1000 values)"));
    }

    @Test
    void bracketsInStringsAreKept() {
        assertEquals(
                "[], [, ], ], ], ], ], ], …] (9 values)",
                texts("]", "[", "]", "]", "]", "]", "]", "]", "]").describe());
    }

    @Test
    void stringsInOneBlockAreSeparated() {
        GgufValue.Texts texts = texts("one", "", "drei", "ü");

        assertEquals(4, texts.size());
        assertArrayEquals(bytes("one"), texts.get(0));
        assertArrayEquals(new byte[0], texts.get(1));
        assertArrayEquals(bytes("drei"), texts.get(2));
        assertArrayEquals(bytes("ü"), texts.get(3));
    }

    private static GgufValue.Text text(String text) {
        return new GgufValue.Text(bytes(text));
    }

    private static GgufValue.Texts texts(String... texts) {
        int[] ends = new int[texts.length];
        for (int i = 0; i < texts.length; i++) {
            ends[i] = (i == 0 ? 0 : ends[i - 1]) + bytes(texts[i]).length;
        }
        return new GgufValue.Texts(bytes(String.join("", texts)), ends);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
