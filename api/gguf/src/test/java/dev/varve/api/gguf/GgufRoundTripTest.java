package dev.varve.api.gguf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

class GgufRoundTripTest {
    @Property(tries = 200)
    void integersOfEveryWidthRoundTrip(
            @ForAll @IntRange(min = 0, max = 255) int u8,
            @ForAll byte i8,
            @ForAll @IntRange(min = 0, max = 65535) int u16,
            @ForAll short i16,
            @ForAll @LongRange(min = 0, max = 0xFFFFFFFFL) long u32,
            @ForAll int i32,
            @ForAll @LongRange(min = 0) long u64,
            @ForAll long i64) {
        GgufMetadata read =
                roundTrip(
                        new GgufWriter()
                                .put("u8", new GgufValue.U8(u8))
                                .put("i8", new GgufValue.I8(i8))
                                .put("u16", new GgufValue.U16(u16))
                                .put("i16", new GgufValue.I16(i16))
                                .put("u32", new GgufValue.U32(u32))
                                .put("i32", new GgufValue.I32(i32))
                                .put("u64", new GgufValue.U64(u64))
                                .put("i64", new GgufValue.I64(i64)));

        long[] expected = {u8, i8, u16, i16, u32, i32, u64, i64};
        List<String> keys = List.copyOf(read.keys());
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], read.integer(keys.get(i)), keys.get(i));
            assertEquals(keys.get(i), read.find(keys.get(i)).orElseThrow().typeName());
        }
    }

    @Property(tries = 200)
    void numbersAndBooleansRoundTrip(@ForAll float f32, @ForAll double f64, @ForAll boolean bool) {
        GgufMetadata read =
                roundTrip(
                        new GgufWriter()
                                .put("f32", new GgufValue.F32(f32))
                                .put("f64", new GgufValue.F64(f64))
                                .put("bool", new GgufValue.Bool(bool)));

        assertEquals(f32, (float) read.number("f32"));
        assertEquals(f64, read.number("f64"));
        assertEquals(Optional.of(bool), read.findBool("bool"));
    }

    @Property(tries = 200)
    void arraysRoundTrip(
            @ForAll @Size(max = 50) List<Integer> ints,
            @ForAll @Size(max = 50) List<Boolean> flags,
            @ForAll @Size(max = 50) List<Float> floats) {
        List<GgufValue> reals = floats.stream().<GgufValue>map(GgufValue.F32::new).toList();
        GgufMetadata read =
                roundTrip(
                        new GgufWriter()
                                .put("ints", GgufValue.ints(ints))
                                .put("flags", GgufValue.booleans(flags))
                                .put("floats", new GgufValue.Array(6, reals)));

        assertArrayEquals(ints.stream().mapToLong(i -> i).toArray(), read.integers("ints"));
        assertArrayEquals(
                flags.stream().mapToLong(flag -> flag ? 1 : 0).toArray(), read.integers("flags"));
        float[] found = read.floats("floats");
        assertEquals(
                floats,
                java.util.stream.IntStream.range(0, found.length).mapToObj(i -> found[i]).toList());
    }

    @Property(tries = 200)
    void stringsRoundTrip(
            @ForAll @IntRange(max = 0x10FFFF) int codePoint,
            @ForAll @Size(max = 20) List<@IntRange(max = 0xD7FF) Integer> rest) {
        int valid = codePoint >= 0xD800 && codePoint <= 0xDFFF ? 'x' : codePoint;
        String text =
                Character.toString(valid)
                        + rest.stream().map(Character::toString).reduce("", String::concat);
        GgufMetadata read =
                roundTrip(
                        new GgufWriter()
                                .put("one", GgufValue.of(text))
                                .put("many", GgufValue.texts(List.of("", text, "b"))));

        assertEquals(text, read.string("one"));
        assertEquals(List.of("", text, "b"), read.strings("many"));
    }

    private static GgufMetadata roundTrip(GgufWriter writer) {
        try {
            Path file = Files.createTempFile("round-trip", ".gguf");
            try {
                writer.write(file);
                return GgufFile.open(file).metadata();
            } finally {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
