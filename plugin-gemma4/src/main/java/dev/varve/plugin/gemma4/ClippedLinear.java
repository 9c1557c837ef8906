package dev.varve.plugin.gemma4;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.vision.ImageGraph;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.Optional;

/**
 * A product whose input and output are clamped to bounds of the file.
 *
 * @param name of the matrix, without suffix
 * @param input bounds of the input; empty for none
 * @param output bounds of the output; empty for none
 */
record ClippedLinear(String name, Optional<Bounds> input, Optional<Bounds> output) {
    /** Least and largest value. */
    record Bounds(float least, float most) {}

    static ClippedLinear read(GgufFile file, String name) {
        return new ClippedLinear(name, bounds(file, name, "input"), bounds(file, name, "output"));
    }

    private static Optional<Bounds> bounds(GgufFile file, String name, String side) {
        Optional<GgufTensor> least = file.tensor(name + "." + side + "_min");
        Optional<GgufTensor> most = file.tensor(name + "." + side + "_max");
        if (least.isEmpty() && most.isEmpty()) {
            return Optional.empty();
        }
        float low = least.map(ClippedLinear::value).orElse(Float.NEGATIVE_INFINITY);
        float high = most.map(ClippedLinear::value).orElse(Float.POSITIVE_INFINITY);
        if (!(low <= high)) {
            throw new ModelFormatException(
                    file.path(), name + "." + side + "_max", "at least " + low, "" + high);
        }
        return Optional.of(new Bounds(low, high));
    }

    private static float value(GgufTensor tensor) {
        tensor.requireShape(1);
        if (tensor.type() != GgmlType.F32) {
            throw new ModelFormatException(tensor.file(), tensor.name(), "F32", tensor.describe());
        }
        ByteBuffer bytes = ByteBuffer.allocate(Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        try (FileChannel channel = FileChannel.open(tensor.file())) {
            while (bytes.hasRemaining()
                    && channel.read(bytes, tensor.offset() + bytes.position()) >= 0) {
                // Reads the rest.
            }
            return bytes.flip().getFloat();
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    tensor.file() + ": cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }

    /** Records the product. */
    Tensor multiply(ImageGraph graph, Tensor given) {
        // Clamping is in place, and other products may read the same input.
        Tensor bounded =
                input.map(
                                bounds ->
                                        graph.ops()
                                                .clamp(
                                                        graph.ops().cont(given),
                                                        bounds.least(),
                                                        bounds.most()))
                        .orElse(given);
        Tensor product = graph.matmul(name, bounded);
        return output.map(bounds -> graph.ops().clamp(product, bounds.least(), bounds.most()))
                .orElse(product);
    }
}
