package dev.varve.api.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

class GgufFileTest {
    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"2, 32", "3, 8", "3, 64", "3, 4096"})
    void writtenFileRoundTrips(int version, int alignment) throws IOException {
        Path path = folder.resolve("model.gguf");
        writer(new GgufWriter(version, alignment), "a", "b", "c").write(path);

        GgufFile file = GgufFile.open(path);

        assertEquals(version, file.version());
        assertEquals(path, file.path());
        assertEquals(List.of(path), file.parts());
        assertEquals("toy", file.architecture());
        assertEquals(
                List.of("a", "b", "c"), file.tensors().stream().map(GgufTensor::name).toList());
        assertEquals(3 * 3 * 4, file.tensorBytes());
        for (GgufTensor tensor : file.tensors()) {
            assertEquals(0, tensor.offset() % alignment);
        }
        byte[] content = Files.readAllBytes(path);
        assertEquals('c', content[(int) file.requireTensor("c").offset()]);
    }

    @Test
    void missingTensorAndWrongShapeAreNamed() throws IOException {
        Path path = folder.resolve("model.gguf");
        writer(new GgufWriter(), "a").write(path);
        GgufFile file = GgufFile.open(path);

        message("model.gguf: tensor z: expected to be present", () -> file.requireTensor("z"));
        message(
                "tensor a: expected [4], found F32 [3]",
                () -> file.requireTensor("a").requireShape(4));
        file.requireTensor("a").requireShape(3, 1, 1);
        assertTrue(file.tensor("z").isEmpty());
    }

    @Test
    void splitModelIsReadFromAnyPart() throws IOException {
        List<Path> parts = split();

        for (Path part : parts) {
            GgufFile file = GgufFile.open(part);
            assertEquals(parts, file.parts());
            assertEquals("toy", file.architecture());
            assertEquals(5, file.tensors().size());
            assertEquals(parts.get(2), file.requireTensor("e").file());
            assertEquals(parts.get(0), file.requireTensor("a").file());
        }
    }

    @Test
    void missingPartIsNamed() throws IOException {
        List<Path> parts = split();
        Files.delete(parts.get(1));

        VarveException error = message("no such file", () -> GgufFile.open(parts.getFirst()));

        assertEquals(VarveException.Kind.UNREADABLE_FILE, error.kind());
        assertTrue(error.getMessage().contains("m-00002-of-00003.gguf"), error.getMessage());
    }

    @Test
    void swappedPartsAreDetected() throws IOException {
        List<Path> parts = split();
        Files.copy(parts.get(2), parts.get(1), java.nio.file.StandardCopyOption.REPLACE_EXISTING);

        message(
                "m-00002-of-00003.gguf: split.no: expected 1, found 2",
                () -> GgufFile.open(parts.getFirst()));
    }

    @Test
    void partWithAnotherNameIsRefused() throws IOException {
        Path renamed = folder.resolve("renamed.gguf");
        Files.copy(split().getFirst(), renamed);

        message("NAME-00001-of-00003.gguf", () -> GgufFile.open(renamed));
    }

    @Test
    void partOfAnotherSplitIsRefused() throws IOException {
        List<Path> parts = split();
        part(parts.get(1), 1, 4, 5, "c");

        message(
                "m-00002-of-00003.gguf: split.count: expected 3, found 4",
                () -> GgufFile.open(parts.getFirst()));
    }

    @Test
    void tensorInTwoPartsIsRefused() throws IOException {
        List<Path> parts = split();
        part(parts.get(1), 1, 3, 5, "a");

        message("m-00002-of-00003.gguf: tensor a", () -> GgufFile.open(parts.getFirst()));
    }

    @Test
    void missingTensorOfASplitIsDetected() throws IOException {
        List<Path> parts = split();
        part(parts.get(1), 1, 3, 5, "b");

        message("split.tensors.count: expected 5, found 4", () -> GgufFile.open(parts.getFirst()));
    }

    @Test
    void splitWithTooManyPartsIsRefused() throws IOException {
        Path path = folder.resolve("m-00001-of-09999.gguf");
        part(path, 0, 9999, 1, "a");

        message("split.count: expected 1 to 4096, found 9999", () -> GgufFile.open(path));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "general.type=adapter | blk.0.attn_q.weight.lora_a | a LoRA adapter",
                "adapter.type=lora | a | a LoRA adapter",
                "general.name=x | blk.0.attn_q.weight.lora_a | a LoRA adapter",
                "general.architecture=controlvector | direction.1 | a control vector",
                "general.type=mmproj | v.blk.0.attn_q.weight | a multimodal projector",
                "general.architecture=clip | v.blk.0.attn_q.weight | a multimodal projector",
                "general.type=imatrix | blk.0.attn_q.weight.in_sum2 | an importance matrix",
                "general.name=x | blk.0.attn_q.weight.counts | an importance matrix",
                "tokenizer.ggml.tokens=a | | a vocabulary without weights",
                "general.name=x | | a GGUF file without tensors"
            })
    void nonModelGgufFileIsRefusedWithItsUse(String pair, String tensor, String expected)
            throws IOException {
        Path path = folder.resolve("given.gguf");
        GgufWriter writer = new GgufWriter().put("general.architecture", GgufValue.of("toy"));
        writer.put(pair.split("=")[0], GgufValue.of(pair.split("=")[1]));
        if (tensor != null) {
            writer.tensor(tensor, TensorType.F32, List.of(2L, 2L), TensorData.constant(1));
        }
        writer.write(path);

        VarveException error =
                message(
                        "given.gguf: this is " + expected,
                        () -> GgufFile.open(path).requireModel());

        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, error.kind());
    }

    @Test
    void modelTypeIsAccepted() throws IOException {
        Path path = folder.resolve("model.gguf");
        writer(new GgufWriter(), "a", "b.weight")
                .put("general.type", GgufValue.of("model"))
                .write(path);

        GgufFile file = GgufFile.open(path).requireModel();

        assertTrue(file.otherUse().isEmpty());
    }

    @ParameterizedTest
    @MethodSource
    void fileOfAnotherFormatIsNamed(String expected, byte[] content) throws IOException {
        Path path = Files.write(folder.resolve("given.gguf"), content);

        message("given.gguf: magic: expected GGUF, found ", () -> GgufFile.open(path));
        message(expected, () -> GgufFile.open(path));
    }

    static Stream<Arguments> fileOfAnotherFormatIsNamed() {
        return Stream.of(
                Arguments.of("zeros: a download", new byte[4096]),
                Arguments.of("a Git LFS pointer", ascii("version https://git-lfs.github.com/")),
                Arguments.of("a web page", ascii("\n<!DOCTYPE html><html>")),
                Arguments.of("a ZIP archive or a PyTorch", ascii("PK\3\4...........")),
                Arguments.of("a model in the GGML format", ascii("tjgg............")),
                Arguments.of("a LoRA adapter in the GGML format", ascii("algg............")),
                Arguments.of("a safetensors file", ascii("\20\1\0\0\0\0\0\0{\"__metadata__\":")),
                Arguments.of(
                        "an importance matrix", ascii("\7\1\0\0\23\0\0\0blk.0.attn_q.weight\0\0")));
    }

    @Test
    void shortFileOfUnknownContentIsRefusedByItsMagic() throws IOException {
        for (int length = 4; length < 24; length++) {
            byte[] content = new byte[length];
            java.util.Arrays.fill(content, (byte) 1);
            Path path = Files.write(folder.resolve("given.gguf"), content);

            message("found \\x01\\x01\\x01\\x01", () -> GgufFile.open(path));
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void folderMissingFileAndEmptyFileAreReported() throws IOException {
        assertEquals(
                VarveException.Kind.UNREADABLE_FILE,
                message("found a folder", () -> GgufFile.open(folder)).kind());
        assertEquals(
                VarveException.Kind.UNREADABLE_FILE,
                message("no such file", () -> GgufFile.open(folder.resolve("absent.gguf"))).kind());
        Path empty = Files.createFile(folder.resolve("empty.gguf"));
        assertEquals(
                VarveException.Kind.CORRUPT_FILE,
                message("found an empty file", () -> GgufFile.open(empty)).kind());
    }

    @ParameterizedTest
    @CsvSource({"ggml-vocab-qwen35.gguf", "ggml-vocab-gemma-4.gguf"})
    void publishedVocabulariesAreRead(String name) {
        Path path =
                Path.of(System.getProperty("varve.test.shared", "shared"))
                        .resolve("golden/tokenizers/" + name);
        Assumptions.assumeTrue(Files.isRegularFile(path), "no golden file " + name);

        GgufFile file = GgufFile.open(path);

        assertTrue(
                file.metadata().findStrings("tokenizer.ggml.tokens").orElseThrow().size()
                        > 100_000);
        assertEquals(
                file.metadata().strings("tokenizer.ggml.tokens").size(),
                file.metadata().integers("tokenizer.ggml.token_type").length);
        assertTrue(file.tensors().isEmpty());
    }

    private List<Path> split() throws IOException {
        return writer(new GgufWriter(), "a", "b", "c", "d", "e").writeSplit(folder, "m", 3);
    }

    private static void part(Path path, int number, int count, int tensors, String... names)
            throws IOException {
        writer(new GgufWriter(), names)
                .put("split.no", new GgufValue.U16(number))
                .put("split.count", new GgufValue.U16(count))
                .put("split.tensors.count", new GgufValue.I32(tensors))
                .write(path);
    }

    private static GgufWriter writer(GgufWriter writer, String... tensors) {
        writer.put("general.architecture", GgufValue.of("toy"));
        for (String name : tensors) {
            byte[] content = new byte[12];
            content[0] = (byte) name.charAt(0);
            writer.tensor(name, TensorType.F32, List.of(3L), TensorData.bytes(content));
        }
        return writer;
    }

    private static VarveException message(
            String part, org.junit.jupiter.api.function.Executable action) {
        VarveException error = assertThrows(VarveException.class, action);
        assertTrue(error.getMessage().contains(part), () -> part + " in: " + error.getMessage());
        return error;
    }

    @Test
    void sparseFileCannotClaimMoreThanItsHeader(@TempDir Path temporary) throws Exception {
        Path file = temporary.resolve("sparse.gguf");
        byte[] header =
                java.nio.ByteBuffer.allocate(64)
                        .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                        .put("GGUF".getBytes(java.nio.charset.StandardCharsets.US_ASCII))
                        .putInt(3)
                        .putLong(0)
                        .putLong(1)
                        .putLong(1)
                        .put((byte) 'k')
                        .putInt(8)
                        .putLong(1L << 30)
                        .array();
        try (java.io.RandomAccessFile sparse = new java.io.RandomAccessFile(file.toFile(), "rw")) {
            sparse.write(header);
            sparse.setLength(3L << 30);
        }

        ModelFormatException refusal =
                assertThrows(ModelFormatException.class, () -> GgufFile.open(file));

        assertTrue(refusal.getMessage().contains("k (length)"), refusal.getMessage());
    }

    @Test
    void textFromTheFileCannotForgeLogLines() {
        ModelFormatException refusal =
                new ModelFormatException(
                        Path.of("m.gguf"), "a\nb\u001b" + "c".repeat(500), "x", "y");

        assertTrue(refusal.getMessage().startsWith("m.gguf: a?b?ccc"), refusal.getMessage());
        assertTrue(refusal.getMessage().length() < 300, refusal.getMessage());
    }
}
