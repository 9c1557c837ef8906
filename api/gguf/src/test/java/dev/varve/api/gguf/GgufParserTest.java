package dev.varve.api.gguf;

import static dev.varve.api.gguf.RawGguf.int32;
import static dev.varve.api.gguf.RawGguf.int64;
import static dev.varve.api.gguf.RawGguf.string;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

class GgufParserTest {
    private static final int F32 = 0;
    private static final int Q8_0 = 8;

    @Test
    void tensorDataStartsAtItsOffsetFromTheAlignedDataSection() {
        byte[] file =
                new RawGguf().tensor("a", F32, 0, 8).tensor("b", Q8_0, 32, 32, 2).data(128).bytes();

        List<GgufTensor> tensors = ByteChannel.parse(file).tensors();

        assertEquals(file.length - 128, tensors.get(0).offset());
        assertEquals(file.length - 96, tensors.get(1).offset());
        assertEquals(68, tensors.get(1).bytes());
        assertEquals(GgmlType.Q8_0, tensors.get(1).type());
        assertEquals(List.of(32L, 2L), tensors.get(1).dimensions());
    }

    @Test
    void wrongMagicIsShown() {
        refused(new RawGguf().magic(0x67676A74).bytes(), "magic", "expected GGUF", "found tjgg");
        refused(new RawGguf().magic(0x46554700).bytes(), "magic", "found \\x00GUF");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4, -1})
    void unsupportedVersionIsNamed(int version) {
        refused(
                new RawGguf().version(version).bytes(),
                "version",
                "2 or 3",
                Integer.toUnsignedString(version));
    }

    @Test
    void bigEndianFileIsReported() {
        refused(new RawGguf().version(3 << 24).bytes(), "version", "a big-endian file");
        refused(new RawGguf().version(2 << 24).bytes(), "version", "a big-endian file");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MAX_VALUE, 1L << 32, 2})
    void countsAreCheckedAgainstTheRemainingBytes(long count) {
        refused(
                new RawGguf().tensorCount(count).bytes(),
                "number of tensors",
                Long.toUnsignedString(count));
        refused(
                new RawGguf().pairCount(count).bytes(),
                "number of metadata pairs",
                Long.toUnsignedString(count));
    }

    @Test
    void duplicateKeyIsRefused() {
        byte[] one = int32(1);
        refused(
                new RawGguf().pair("k", 4, one).pair("k", 4, one).bytes(),
                "k: expected one value",
                "a second one");
    }

    @Test
    void keyMustBeUtf8AndShort() {
        byte[] file = new RawGguf().pair("kk", 4, int32(1)).bytes();
        file[32] = (byte) 0xFF;
        refused(file, "key of pair 0", "UTF-8");
        refused(
                new RawGguf().pair("k".repeat(65536), 4, int32(1)).bytes(),
                "key of pair 0 (length)",
                "65536");
    }

    @ParameterizedTest
    @ValueSource(ints = {13, -1, Integer.MIN_VALUE})
    void unknownValueTypeIsNamed(int type) {
        String shown = "value type from 0 to 12, found " + Integer.toUnsignedString(type);
        refused(new RawGguf().pair("k", type, int64(0)).bytes(), "k:", shown);
        refused(new RawGguf().array("k", type, 1, int64(0)).bytes(), "k:", shown);
    }

    @Test
    void boolIsZeroOrOne() {
        refused(
                new RawGguf().pair("k", 7, new byte[] {2}).bytes(),
                "k: expected a bool of 0 or 1, found 2");
        refused(
                new RawGguf().array("k", 7, 2, new byte[] {1, 2}).bytes(),
                "k: expected a bool of 0 or 1, found 2");
    }

    @Test
    void nestedArrayIsRefused() {
        refused(new RawGguf().array("k", 9, 1, new byte[24]).bytes(), "k:", "an array of arrays");
    }

    @ParameterizedTest
    @ValueSource(longs = {1000, -1, Long.MAX_VALUE})
    void arrayCountsAndStringLengthsAreCheckedAgainstTheRemainingBytes(long count) {
        String shown = "found " + Long.toUnsignedString(count);
        for (int type : new int[] {0, 4, 6, 7, 8, 10, 12}) {
            refused(
                    new RawGguf().array("k", type, count, new byte[16]).bytes(),
                    "k (count)",
                    shown);
        }
        refused(new RawGguf().pair("k", 8, int64(count)).bytes(), "k (length)", shown);
        refused(
                new RawGguf().array("k", 8, 1, int64(count)).bytes(),
                "k (length of a string)",
                shown);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 9})
    void tensorHasOneToFourDimensions(int dimensions) {
        long[] extents = new long[dimensions];
        Arrays.fill(extents, 1);
        refused(
                new RawGguf().tensor("t", F32, 0, extents).data(64).bytes(),
                "tensor t",
                "1 to 4 dimensions",
                "found " + dimensions);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE})
    void extentsArePositiveAndTheirProductFits(long extent) {
        refused(
                new RawGguf().tensor("t", F32, 0, 1, extent).data(64).bytes(),
                "tensor t",
                "extent 1 of " + Long.toUnsignedString(extent));
    }

    @Test
    void overflowingExtentsAreRefused() {
        refused(
                new RawGguf().tensor("t", F32, 0, 1L << 31, 1L << 31, 4).data(64).bytes(),
                "tensor t",
                "extent 1");
        refused(
                new RawGguf().tensor("t", F32, 0, 1L << 40, 1L << 40).data(64).bytes(),
                "tensor t",
                "extent 1");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 31, 43, 1000, -1})
    void unknownTensorTypeIsNamed(int type) {
        refused(
                new RawGguf().tensor("t", type, 0, 32).data(64).bytes(),
                "tensor t",
                "a known ggml type",
                "type " + Integer.toUnsignedString(type));
    }

    @Test
    void rowsAreWholeBlocks() {
        refused(
                new RawGguf().tensor("t", Q8_0, 0, 33, 32).data(4096).bytes(),
                "tensor t",
                "blocks of 32 (q8_0)",
                "rows of 33");
    }

    @Test
    void tensorNameIsShortUtf8AndUnique() {
        refused(
                new RawGguf().tensor("t".repeat(64), F32, 0, 8).data(64).bytes(),
                "name of tensor 0 (length)",
                "64");
        refused(
                new RawGguf().tensor("t", F32, 0, 8).tensor("t", F32, 32, 8).data(64).bytes(),
                "tensor t: expected one tensor of this name");
        byte[] file = new RawGguf().tensor("tt", F32, 0, 8).data(64).bytes();
        file[32] = (byte) 0xFF;
        refused(file, "name of tensor 0", "UTF-8");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 48, -64, 0x7FFFFFFF})
    void alignmentIsAPowerOfTwo(int alignment) {
        refused(
                new RawGguf().pair("general.alignment", 4, int32(alignment)).bytes(),
                "general.alignment",
                "a power of two from 8",
                "found " + Integer.toUnsignedLong(alignment));
    }

    @Test
    void alignmentIsAnInteger() {
        refused(
                new RawGguf().pair("general.alignment", 8, string("32")).bytes(),
                "general.alignment",
                "an integer",
                "found string");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 31, 33, -32, Long.MIN_VALUE})
    void offsetIsAlignedAndNotNegative(long offset) {
        refused(
                new RawGguf().tensor("t", F32, offset, 8).data(4096).bytes(),
                "tensor t",
                "an offset at a multiple of 32",
                Long.toUnsignedString(offset));
    }

    @ParameterizedTest
    @ValueSource(longs = {32, 64, 1L << 62})
    void dataIsInsideTheFile(long offset) {
        refused(
                new RawGguf().tensor("t", F32, offset, 9).data(64).bytes(),
                "tensor t",
                "36 bytes of data at offset " + offset,
                "whose data begins at");
    }

    @Test
    void tensorsDoNotOverlap() {
        refused(
                new RawGguf().tensor("a", F32, 0, 16).tensor("b", F32, 32, 8).data(64).bytes(),
                "tensor b",
                "an overlap with a");
        refused(
                new RawGguf().tensor("a", F32, 32, 8).tensor("b", F32, 0, 16).data(64).bytes(),
                "tensor a",
                "an overlap with b");
    }

    @Test
    void truncatedFileIsRefusedAtEveryByte() {
        byte[] file =
                new RawGguf()
                        .pair("a", 4, int32(7))
                        .pair("b", 8, string("text"))
                        .array("c", 8, 2, concat(string("x"), string("yz")))
                        .array("d", 5, 3, new byte[12])
                        .pair("e", 12, int64(0))
                        .tensor("t", F32, 0, 8, 2)
                        .data(64)
                        .bytes();
        ByteChannel.parse(file);

        assertAll(
                IntStream.range(0, file.length)
                        .mapToObj(
                                length ->
                                        () -> {
                                            VarveException error =
                                                    assertThrows(
                                                            VarveException.class,
                                                            () ->
                                                                    ByteChannel.parse(
                                                                            Arrays.copyOf(
                                                                                    file, length)));
                                            assertEquals(
                                                    VarveException.Kind.CORRUPT_FILE,
                                                    error.kind(),
                                                    () -> length + ": " + error.getMessage());
                                            assertTrue(
                                                    error.getMessage()
                                                            .contains("truncated or corrupt"),
                                                    () -> length + ": " + error.getMessage());
                                        }));
    }

    @Test
    void fileThatShrinksWhileReadIsAnErrorAndNoEndlessLoop() {
        byte[] file = new RawGguf().pair("b", 8, string("x".repeat(1000))).bytes();

        for (int length = 0; length < 500; length++) {
            byte[] shrunk = Arrays.copyOf(file, length);
            ModelFormatException error =
                    assertThrows(
                            ModelFormatException.class,
                            () -> ByteChannel.parse(shrunk, file.length));
            assertTrue(error.getMessage().contains("truncated or corrupt"), error.getMessage());
        }
    }

    @Test
    void stringsLongerThanTheReadWindowAreReadWhole() {
        String text = "0123456789".repeat(50_000);
        byte[] file =
                new RawGguf()
                        .pair("a", 8, string(text))
                        .array("b", 8, 3, concat(concat(string("x"), string(text)), string("")))
                        .pair("c", 4, int32(9))
                        .bytes();

        GgufMetadata metadata = ByteChannel.parse(file).metadata();

        assertEquals(text, metadata.string("a"));
        assertEquals(List.of("x", text, ""), metadata.strings("b"));
        assertEquals(9, metadata.integer("c"));
    }

    private static void refused(byte[] file, String... parts) {
        ModelFormatException error =
                assertThrows(ModelFormatException.class, () -> ByteChannel.parse(file));
        assertEquals(VarveException.Kind.CORRUPT_FILE, error.kind());
        assertTrue(error.getMessage().startsWith("test.gguf: "), error.getMessage());
        for (String part : parts) {
            assertTrue(
                    error.getMessage().contains(part), () -> part + " in: " + error.getMessage());
        }
    }

    private static byte[] concat(byte[] a, byte[] b) {
        byte[] joined = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, joined, a.length, b.length);
        return joined;
    }
}
