package dev.varve.api.ggml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Weights in memory that the host does not read: rearranged while they are written, whole, through
 * other memory.
 */
class RepackTest {
    private static final int K = 256;
    private static final int M = 64;

    @Test
    void repackedWeightsComputeTheSameProduct(@TempDir Path folder) throws IOException {
        Optional<BufferType> repack =
                Cpu.device().extraBufferTypes().stream()
                        .filter(type -> type.name().equals("CPU_REPACK"))
                        .findFirst();
        assumeTrue(
                repack.isPresent() && takesWeight(repack.get()),
                "this processor has no repacking kernels");
        assertFalse(repack.get().isHost());
        float[] weights = new float[K * M];
        float[] input = new float[K];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = (float) Math.sin(i * 0.37);
        }
        for (int i = 0; i < input.length; i++) {
            input[i] = (float) Math.cos(i * 0.11);
        }
        byte[] packed = Quantizer.quantize(GgmlType.Q4_0, weights, K);
        Path path = Files.write(folder.resolve("weights"), packed);

        float[] plain = product(Cpu.device().bufferType(), path, packed, input);
        float[] repackedByUpload = product(repack.get(), path, new byte[0], input);
        float[] repackedByWrite = product(repack.get(), path, packed, input);

        assertArrayEquals(repackedByUpload, repackedByWrite);
        // Both quantise the input to 8 bits; the order of the sums differs.
        assertArrayEquals(plain, repackedByUpload, 1e-3f);
    }

    private static boolean takesWeight(BufferType type) {
        try (GgmlContext scratch = GgmlContext.open(3, 0)) {
            Tensor weight = scratch.newTensor(GgmlType.Q4_0, K, M);
            Tensor product = scratch.ops().mulMat(weight, scratch.newTensor(GgmlType.F32, K, 512));
            return Cpu.device().supportsWeight(type, weight, product);
        }
    }

    private static float[] product(BufferType type, Path file, byte[] bytes, float[] input) {
        try (GgmlContext weights = GgmlContext.open(1, 0);
                GgmlContext nodes = GgmlContext.open(2, 2);
                MappedFile mapped = MappedFile.open(file);
                Backend backend = Cpu.device().open();
                GraphAllocator allocator = new GraphAllocator(Cpu.device().bufferType())) {
            Tensor weight = weights.newTensor(GgmlType.Q4_0, K, M);
            try (DeviceBuffer buffer = weights.allocate(type).orElseThrow()) {
                buffer.markWeights();
                if (bytes.length > 0) {
                    weight.writeBytes(bytes, 0, bytes.length, 0);
                } else {
                    weight.upload(mapped, 0, weight.bytes());
                }
                Tensor column = nodes.newTensor(GgmlType.F32, K).markInput();
                Tensor result = nodes.ops().mulMat(weight, column).markOutput();
                Graph graph = nodes.newGraph(2);
                graph.expand(result);
                allocator.reserve(graph);
                allocator.allocate(graph);
                column.write(input, 0, K, 0);
                backend.compute(graph);
                backend.synchronize();
                float[] values = new float[M];
                result.read(values, 0, M, 0);
                return values;
            }
        }
    }
}
