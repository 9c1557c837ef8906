package dev.varve.api.gguf;

import static dev.varve.api.gguf.RawGguf.int32;
import static dev.varve.api.gguf.RawGguf.int64;
import static dev.varve.api.gguf.RawGguf.string;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

class GgufMetadataTest {
    private final GgufMetadata metadata =
            ByteChannel.parse(
                            new RawGguf()
                                    .pair("text", 8, string("t"))
                                    .pair("int", 4, int32(7))
                                    .pair("negative", 5, int32(-7))
                                    .pair("huge", 10, int64(-1))
                                    .pair("nan", 6, int32(Float.floatToIntBits(Float.NaN)))
                                    .pair("half", 6, int32(Float.floatToIntBits(0.5f)))
                                    .pair("yes", 7, new byte[] {1})
                                    .array("hugeArray", 10, 1, int64(-1))
                                    .array("flags", 7, 3, new byte[] {1, 0, 1})
                                    .array("bytes", 0, 2, new byte[] {(byte) 255, 1})
                                    .array("texts", 8, 1, string("x"))
                                    .array("floats", 6, 1, int32(Float.floatToIntBits(2.5f)))
                                    .pair(
                                            "latin",
                                            8,
                                            new byte[] {1, 0, 0, 0, 0, 0, 0, 0, (byte) 0xE9})
                                    .bytes())
                    .metadata();

    @Test
    void missingKeyIsNamedWithTheExpectedType() {
        refused("absent: expected a string, found no such key", () -> metadata.string("absent"));
        refused("absent: expected an integer, found no such key", () -> metadata.integer("absent"));
        refused(
                "absent: expected an integer, found no such key",
                () -> metadata.positiveInt("absent"));
        refused("absent: expected a number, found no such key", () -> metadata.number("absent"));
        refused("absent: expected integers, found no such key", () -> metadata.integers("absent"));
        refused("absent: expected numbers, found no such key", () -> metadata.floats("absent"));
        refused("absent: expected strings, found no such key", () -> metadata.strings("absent"));
        refused(
                "absent: expected strings, found no such key",
                () -> metadata.stringBytes("absent"));
    }

    @Test
    void wrongValueTypeIsNamed() {
        refused("int: expected a string, found u32", () -> metadata.findString("int"));
        refused("text: expected an integer, found string", () -> metadata.findInteger("text"));
        refused("half: expected an integer, found f32", () -> metadata.integer("half"));
        refused("text: expected a number, found string", () -> metadata.findNumber("text"));
        refused("int: expected a bool, found u32", () -> metadata.findBool("int"));
        refused(
                "texts: expected integers, found array of string",
                () -> metadata.findIntegers("texts"));
        refused("bytes: expected numbers, found array of u8", () -> metadata.floats("bytes"));
        refused(
                "flags: expected strings, found array of bool",
                () -> metadata.findStrings("flags"));
        refused("text: expected strings, found string", () -> metadata.stringBytes("text"));
    }

    @Test
    void integerOutOfRangeIsRefusedInsteadOfBecomingNegative() {
        refused("huge: expected an integer", () -> metadata.integer("huge"));
        refused(
                "negative: expected a positive integer, found -7",
                () -> metadata.positiveInt("negative"));
        assertEquals("18446744073709551615", metadata.find("huge").orElseThrow().describe());
    }

    @Test
    void integerOutOfRangeInAnArrayIsRefused() {
        refused("huge: expected integers", () -> metadata.integers("huge"));
        refused("hugeArray: expected integers", () -> metadata.integers("hugeArray"));
    }

    @Test
    void nonFiniteNumberIsRefused() {
        refused("nan: expected a finite number, found NaN", () -> metadata.number("nan"));
    }

    @Test
    void valuesAreReadByTheirTypes() {
        assertEquals("t", metadata.string("text"));
        assertEquals(7, metadata.positiveInt("int"));
        assertEquals(7.0, metadata.number("int"));
        assertEquals(-7, metadata.integer("negative"));
        assertEquals(0.5, metadata.number("half"));
        assertEquals(Optional.of(true), metadata.findBool("yes"));
        assertArrayEquals(new long[] {1, 0, 1}, metadata.integers("flags"));
        assertArrayEquals(new long[] {255, 1}, metadata.integers("bytes"));
        assertArrayEquals(new long[] {7}, metadata.integers("int"));
        assertArrayEquals(new long[] {1}, metadata.integers("yes"));
        assertArrayEquals(new float[] {2.5f}, metadata.floats("floats"));
        assertEquals(List.of("x"), metadata.strings("texts"));
        assertArrayEquals("x".getBytes(StandardCharsets.UTF_8), metadata.stringBytes("texts")[0]);
        assertEquals("\uFFFD", metadata.string("latin"));
        assertTrue(metadata.isArray("flags"));
        assertFalse(metadata.isArray("text"));
        assertFalse(metadata.isArray("absent"));
        assertTrue(metadata.findString("absent").isEmpty());
    }

    @Test
    void keysKeepTheirOrderAndAreImmutable() {
        assertEquals("text", metadata.keys().iterator().next());
        assertThrows(UnsupportedOperationException.class, () -> metadata.keys().clear());
        metadata.integers("flags")[0] = 99;
        assertArrayEquals(new long[] {1, 0, 1}, metadata.integers("flags"));
    }

    private static void refused(String part, Executable action) {
        ModelFormatException error = assertThrows(ModelFormatException.class, action);
        assertTrue(error.getMessage().startsWith("test.gguf: " + part), error.getMessage());
    }
}
