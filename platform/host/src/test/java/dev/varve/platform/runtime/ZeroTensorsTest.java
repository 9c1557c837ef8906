package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

class ZeroTensorsTest {
    @TempDir Path folder;

    private final List<String> warnings = new ArrayList<>();

    /** Matrices and a vector beside each, with values other than zero. */
    private Path model(int matrices) throws IOException {
        Path path = folder.resolve("model.gguf");
        GgufWriter writer = new GgufWriter().put("general.architecture", GgufValue.of("toy"));
        for (int i = 0; i < matrices; i++) {
            writer.tensor(
                    "blk." + i + ".weight",
                    TensorType.F32,
                    List.of(64L, 64L),
                    TensorData.constant(i + 1));
            writer.tensor(
                    "blk." + i + ".norm", TensorType.F32, List.of(64L), TensorData.constant(1));
        }
        writer.write(path);
        return path;
    }

    /** Overwrites with zeros, as in the part of a file that was reserved and never written. */
    private static void clear(Path path, long from, long to) throws IOException {
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate((int) (to - from)), from);
        }
    }

    private GgufFile open(Path path) {
        return ZeroTensors.requireWeights(path, warnings::add);
    }

    @Test
    void intactFileIsOpenedSilently() throws IOException {
        GgufFile file = open(model(4));

        assertEquals(8, file.tensors().size());
        assertEquals(List.of(), warnings);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.5, 0.9})
    void fileThatEndsInZerosIsRefused(double whole) throws IOException {
        Path path = model(20);
        long size = path.toFile().length();
        clear(path, Math.max(4096, (long) (size * whole)), size);

        VarveException error = assertThrows(VarveException.class, () -> open(path));

        assertEquals(VarveException.Kind.CORRUPT_FILE, error.kind());
        assertTrue(error.getMessage().startsWith("model.gguf: "), error.getMessage());
        assertTrue(error.getMessage().contains("download it again"), error.getMessage());
    }

    @Test
    void matrixWithAZeroSecondHalfIsFound() throws IOException {
        Path path = model(2);
        GgufTensor tensor = GgufFile.open(path).requireTensor("blk.1.weight");
        clear(path, tensor.offset() + tensor.bytes() / 2, tensor.offset() + tensor.bytes());

        ZeroTensors zeros = ZeroTensors.of(GgufFile.open(path));

        assertEquals(List.of(tensor), zeros.tensors());
        assertEquals(tensor.bytes() / 2, zeros.bytes());
    }

    @Test
    void singleZeroMatrixCausesAWarning() throws IOException {
        Path path = model(40);
        GgufTensor tensor = GgufFile.open(path).requireTensor("blk.7.weight");
        clear(path, tensor.offset(), tensor.offset() + tensor.bytes());

        open(path);

        assertEquals(1, warnings.size());
        assertTrue(warnings.getFirst().contains("1 of 80 tensors"), warnings.toString());
        assertTrue(warnings.getFirst().contains("blk.7.weight"), warnings.toString());
    }

    /** Layers that were switched off, whose norms and neighbours have values. */
    @Test
    void zeroMatricesBetweenOthersCauseAWarning() throws IOException {
        Path path = model(4);
        for (String name : List.of("blk.0.weight", "blk.1.weight", "blk.3.weight")) {
            GgufTensor tensor = GgufFile.open(path).requireTensor(name);
            clear(path, tensor.offset(), tensor.offset() + tensor.bytes());
        }

        open(path);

        assertEquals(1, warnings.size(), warnings.toString());
    }

    @Test
    void partThatEndsInZerosIsNamed() throws IOException {
        GgufWriter writer = new GgufWriter().put("general.architecture", GgufValue.of("toy"));
        for (int i = 0; i < 4; i++) {
            writer.tensor(
                    "blk." + i + ".weight",
                    TensorType.F32,
                    List.of(64L, 64L),
                    TensorData.constant(1));
        }
        List<Path> parts = writer.writeSplit(folder, "m", 2);
        long size = parts.getFirst().toFile().length();
        clear(parts.getFirst(), size / 2, size);

        VarveException error = assertThrows(VarveException.class, () -> open(parts.getFirst()));

        assertTrue(error.getMessage().startsWith("m-00001-of-00002.gguf: "), error.getMessage());
    }

    /** Rows behind the last token of a vocabulary are often zeros. */
    @Test
    void someZeroRowsAtTheEndOfAMatrixAreNormal() throws IOException {
        Path path = model(2);
        GgufTensor tensor = GgufFile.open(path).requireTensor("blk.1.weight");
        clear(path, tensor.offset() + tensor.bytes() * 15 / 16, tensor.offset() + tensor.bytes());

        open(path);

        assertEquals(List.of(), warnings);
    }

    @Test
    void fileThatIsNoModelIsRefusedFirst() throws IOException {
        Path path = folder.resolve("lora.gguf");
        new GgufWriter()
                .put("general.type", GgufValue.of("adapter"))
                .tensor("a.lora_a", TensorType.F32, List.of(8L, 8L), TensorData.constant(0))
                .write(path);

        VarveException error = assertThrows(VarveException.class, () -> open(path));

        assertTrue(error.getMessage().contains("a LoRA adapter"), error.getMessage());
    }
}
