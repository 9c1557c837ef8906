package dev.varve.testkit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

class GgufWriterTest {
    private static final int[] TOKENS = {5, 17, 3, 99, 200};

    @TempDir Path folder;

    @Test
    void smallFileHasExactlyTheBytesOfTheFormat() throws IOException {
        Path file = folder.resolve("small.gguf");

        new GgufWriter()
                .put("ab", new GgufValue.U16(0xBEEF))
                .put("c", GgufValue.ints(List.of(-2, 7)))
                .tensor(
                        "t",
                        TensorType.F32,
                        List.of(2L, 1L),
                        TensorData.floats(new float[] {1, -2}))
                .write(file);

        ByteBuffer expected = ByteBuffer.allocate(136).order(ByteOrder.LITTLE_ENDIAN);
        expected.put("GGUF".getBytes(StandardCharsets.US_ASCII)).putInt(3).putLong(1).putLong(2);
        expected.putLong(2).put((byte) 'a').put((byte) 'b').putInt(2).putShort((short) 0xBEEF);
        expected.putLong(1).put((byte) 'c').putInt(9).putInt(5).putLong(2).putInt(-2).putInt(7);
        expected.putLong(1).put((byte) 't').putInt(2).putLong(2).putLong(1).putInt(0).putLong(0);
        expected.position(128).putFloat(1).putFloat(-2);
        byte[] padded = Arrays.copyOf(expected.array(), 160);
        assertArrayEquals(padded, Files.readAllBytes(file));
    }

    @Test
    void everyValueTypeHasTheWidthOfItsId() throws IOException {
        List<GgufValue> values =
                List.of(
                        new GgufValue.U8(1),
                        new GgufValue.I8(-1),
                        new GgufValue.U16(1),
                        new GgufValue.I16(-1),
                        new GgufValue.U32(1),
                        new GgufValue.I32(-1),
                        new GgufValue.F32(1),
                        new GgufValue.Bool(true),
                        new GgufValue.Text("é"),
                        GgufValue.texts(List.of("", "b")),
                        new GgufValue.U64(1),
                        new GgufValue.I64(-1),
                        new GgufValue.F64(1));
        int[] widths = {1, 1, 2, 2, 4, 4, 4, 1, 8 + 2, 4 + 8 + 8 + 8 + 1, 8, 8, 8};
        int[] written = new int[widths.length];

        for (int type = 0; type < widths.length; type++) {
            var bytes = new ByteArrayOutputStream();
            try (LittleEndianOutput out = new LittleEndianOutput(bytes)) {
                out.value(values.get(type));
            }
            written[values.get(type).typeId()] = bytes.size();
        }

        assertArrayEquals(widths, written);
    }

    @ParameterizedTest
    @CsvSource({"2, 32", "3, 64", "3, 4096"})
    void versionAndAlignmentDoNotChangeTheContent(int version, int alignment) throws IOException {
        float[][] expected = logits(Qwen35Model.tiny().write(folder));
        Path file = folder.resolve("other.gguf");

        copyOfTiny(new GgufWriter(version, alignment)).write(file);

        assertArrayEquals(expected, logits(file));
    }

    @Test
    void splitModelIsReadLikeTheWholeOne() throws IOException {
        float[][] expected = logits(Qwen35Model.tiny().write(folder));

        List<Path> parts = Qwen35Model.tiny().writer().writeSplit(folder, "tiny", 3);

        assertTrue(parts.getLast().endsWith("tiny-00003-of-00003.gguf"), parts.toString());
        assertArrayEquals(expected, logits(parts.getFirst()));
    }

    @Test
    void sourceThatWritesTooLittleIsRefused() {
        GgufWriter writer =
                new GgufWriter()
                        .tensor(
                                "short",
                                TensorType.F16,
                                List.of(4L),
                                TensorData.bytes(new byte[6]));

        var failure =
                assertThrows(
                        IllegalStateException.class,
                        () -> writer.write(folder.resolve("bad.gguf")));

        assertTrue(
                failure.getMessage().contains("short: expected 8 bytes, its source wrote 6"),
                failure.getMessage());
    }

    @Test
    void rowThatIsNoWholeNumberOfBlocksIsRefused() {
        GgufWriter writer = new GgufWriter();

        var failure =
                assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                writer.tensor(
                                        "t",
                                        TensorType.Q4_0,
                                        List.of(33L),
                                        TensorData.constant(1)));

        assertTrue(failure.getMessage().contains("multiple of 32"), failure.getMessage());
    }

    /** Every type is a distinct path in libllama's loader and matrix multiplication. */
    @ParameterizedTest
    @EnumSource(
            value = TensorType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"F32", "I32", "I64"})
    @ByDay({1, 4, 8, 12})
    void matricesOfEachTypeApproximateTheFloatModel(TensorType type) throws IOException {
        Qwen35Model model =
                Qwen35Model.tiny()
                        .withSize(new Qwen35Model.Size(4, 256, 256, 320, 4096))
                        .withDeltaNet(new Qwen35Model.DeltaNet(2, 4, 64, 4));
        float[][] expected = logits(model.write(folder));

        float[][] actual = logits(model.withType(type).write(folder));

        Comparison.assertGradeC(type.name(), expected, actual, tolerance(type));
    }

    /** About twice what was measured; rows of unrelated models are 1.4 apart. */
    private static double tolerance(TensorType type) {
        double bitsPerWeight = 8.0 * type.blockBytes() / type.blockElements();
        return bitsPerWeight > 8
                ? 0.15
                : bitsPerWeight > 6 ? 0.3 : bitsPerWeight > 5 ? 0.6 : bitsPerWeight > 4 ? 1 : 1.25;
    }

    private static float[][] logits(Path file) {
        try (Oracle oracle = Oracle.open(file, OracleOptions.defaults().withContext(256))) {
            return oracle.logits(TOKENS);
        }
    }

    private static GgufWriter copyOfTiny(GgufWriter writer) {
        Qwen35Model.tiny().writeTo(writer);
        return writer;
    }
}
