package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.backend.NativeBundle;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;

/** Several columns at once have the bits of single ones. */
class ExactColumnsTest {
    @TempDir Path cache;

    private ComputeDevice open(int threads) {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        return new CpuBackendProvider()
                .open(new BackendOptions(cache, Optional.of(natives), false))
                .open(0, new DeviceOptions(OptionalInt.of(threads), OptionalInt.empty(), false));
    }

    private static ColumnProduct productOf(ComputeDevice device) {
        Set<String> features = device.ggmlDevice().features().keySet();
        assumeTrue(
                features.contains("AVX2") && features.contains("F16C") && features.contains("FMA"),
                "the kernel needs AVX2 or AVX-512");
        return device.columnProduct().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "64, 1, 2, 1",
        "64, 100, 3, 2",
        "768, 97, 8, 2",
        "1600, 50, 5, 3",
        "2304, 31, 9, 2",
        "4096, 73, 33, 1"
    })
    void everyColumnMatchesItsOwnProductBitwise(int length, int rows, int columns, int threads) {
        try (ComputeDevice device = open(threads);
                GgmlContext inputs = GgmlContext.open(2, 0);
                GgmlContext nodes = GgmlContext.open(4, 4);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            ColumnProduct product = productOf(device);
            Tensor weight = inputs.newTensor(GgmlType.F16, length, rows);
            Tensor input = inputs.newTensor(GgmlType.F32, length, columns);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                fill(weight, input);
                Ops ops = nodes.ops();
                Tensor alone =
                        ops.mulMat(weight, ops.reshape3d(input, length, 1, columns)).markOutput();
                Tensor together =
                        product.multiply(ops, weight, product.prepare(ops, input)).markOutput();
                Graph graph = nodes.newGraph(4);
                graph.expand(alone);
                graph.expand(together);
                assertEquals(4, graph.nodes());
                allocator.allocate(graph);

                device.compute(graph, ComputeDevice.Phase.DECODE);

                assertArrayEquals(bits(alone), bits(together));
            }
        }
    }

    @Test
    void onlyWholeF16MatricesAreSupported() {
        try (ComputeDevice device = open(1);
                GgmlContext context = GgmlContext.open(16, 16)) {
            ColumnProduct product = productOf(device);
            Ops ops = context.ops();
            Tensor weight = context.newTensor(GgmlType.F16, 64, 8);
            Tensor input = context.newTensor(GgmlType.F32, 128, 3);

            assertTrue(product.takes(weight));
            assertFalse(product.takes(context.newTensor(GgmlType.F16, 96, 8)));
            assertFalse(product.takes(context.newTensor(GgmlType.F16, 64, 8, 2)));
            assertFalse(product.takes(context.newTensor(GgmlType.F32, 64, 8)));
            assertFalse(product.takes(ops.view2d(weight, 64, 4, 2 * weight.nb(1), 0)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> product.multiply(ops, weight, product.prepare(ops, input)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> product.prepare(ops, ops.view2d(input, 64, 3, input.nb(1), 0)));
        }
    }

    @Test
    void withoutTheKernelColumnsUseThePlainProduct() throws IOException {
        try (ComputeDevice device = open(1)) {
            assertTrue(
                    ExactColumns.find(device.ggmlDevice(), cache.resolve("nothing.so")).isEmpty());
            Path noLibrary = Files.writeString(cache.resolve("text.so"), "no library");
            assertTrue(ExactColumns.find(device.ggmlDevice(), noLibrary).isEmpty());
        }
    }

    /** The kernel for AVX2 adds up in another order than ggml with AVX-512 does. */
    @Test
    void differentBitsAreDetected() {
        try (ComputeDevice device = open(1)) {
            productOf(device);
            assumeTrue(device.ggmlDevice().features().containsKey("AVX512"), "this takes AVX-512");
            Path folder = new NativeBundle(CpuBackendProvider.class, "kernels", cache).unpack();
            Path library = folder.resolve(Kernels.LIBRARY);

            assertTrue(
                    new ExactColumns(new Kernels(library, "avx512"))
                            .agreesWithGgml(device.ggmlDevice()));
            assertFalse(
                    new ExactColumns(new Kernels(library, "avx2"))
                            .agreesWithGgml(device.ggmlDevice()));
        }
    }

    private static void fill(Tensor weight, Tensor input) {
        SplittableRandom random = new SplittableRandom(3);
        short[] halves = new short[(int) weight.elements()];
        for (int i = 0; i < halves.length; i++) {
            halves[i] = Float.floatToFloat16((float) random.nextGaussian());
        }
        weight.write(halves, 0, halves.length, 0);
        float[] floats = new float[(int) input.elements()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) random.nextGaussian();
        }
        input.write(floats, 0, floats.length, 0);
    }

    private static int[] bits(Tensor tensor) {
        int[] bits = new int[(int) tensor.elements()];
        tensor.readBits(bits, 0, bits.length, 0);
        return bits;
    }
}
