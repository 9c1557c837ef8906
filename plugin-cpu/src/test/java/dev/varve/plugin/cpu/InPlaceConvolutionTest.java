package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.NativeBundle;
import dev.varve.api.backend.WindowConvolution;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.Optional;

/** Convolutions that read what is kept where it lies have the bits of ggml's. */
class InPlaceConvolutionTest {
    private static final int KEPT = 3;

    @TempDir Path cache;

    private static WindowConvolution of(ComputeDevice device) {
        return device.recurrentOperators().convolution().orElseThrow();
    }

    private static Tensor kept(GgmlContext context, int channels, int sequences) {
        return context.newTensor(GgmlType.F32, KEPT, channels, sequences);
    }

    @ParameterizedTest
    @CsvSource({
        "16, 1, 1, 1",
        "48, 2, 1, 2",
        "96, 3, 2, 1",
        "160, 4, 3, 3",
        "6144, 8, 4, 2",
        "64, 200, 1, 2"
    })
    void resultsAndStatesMatchGgmlBitwise(int channels, int tokens, int sequences, int threads) {
        try (ComputeDevice device = OwnKernels.open(cache, threads);
                GgmlContext inputs = GgmlContext.open(16, 0);
                GgmlContext nodes = GgmlContext.open(32, 32);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            WindowConvolution convolution = of(device);
            // Columns are a part of wider ones.
            Tensor wide = inputs.newTensor(GgmlType.F32, channels + 5, tokens, sequences);
            Tensor kernel = inputs.newTensor(GgmlType.F32, KEPT + 1, channels);
            Tensor before = kept(inputs, channels, sequences);
            Tensor apart = kept(inputs, channels, sequences);
            Tensor inPlace = kept(inputs, channels, sequences);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                OwnKernels.fill(wide, 1, -1, 1);
                OwnKernels.fill(kernel, 2, -1, 1);
                float[] begin = OwnKernels.fill(before, 3, -1, 1);
                inPlace.write(begin, 0, begin.length, 0);
                Ops ops = nodes.ops();
                Tensor columns =
                        ops.view(
                                wide,
                                Extents.of(channels, tokens, sequences),
                                Strides.of(wide.nb(1), wide.nb(2)),
                                Float.BYTES);
                Tensor joined = ops.concat(before, ops.cont(ops.transpose(columns)), 0);
                Tensor expectedKept =
                        ops.cont(
                                        ops.view(
                                                joined,
                                                Extents.of(KEPT, channels, sequences),
                                                Strides.of(joined.nb(1), joined.nb(2)),
                                                (long) tokens * Float.BYTES))
                                .markOutput();
                Tensor expected = ops.ssmConv(joined, kernel).markOutput();
                Tensor[] found = {
                    convolution.apply(ops, columns, kernel, before, Optional.of(apart)),
                    convolution.apply(ops, columns, kernel, inPlace, Optional.of(inPlace)),
                    convolution.apply(ops, columns, kernel, before, Optional.empty())
                };
                Graph graph = nodes.newGraph(32);
                graph.expand(expected);
                graph.expand(expectedKept);
                for (Tensor each : found) {
                    graph.expand(each.markOutput());
                }
                allocator.allocate(graph);

                device.compute(graph, ComputeDevice.Phase.DECODE);

                for (Tensor each : found) {
                    assertArrayEquals(Samples.bits(expected), Samples.bits(each));
                }
                assertArrayEquals(Samples.bits(expectedKept), Samples.bits(apart));
                assertArrayEquals(Samples.bits(expectedKept), Samples.bits(inPlace));
                float[] left = new float[begin.length];
                before.read(left, 0, left.length, 0);
                assertArrayEquals(begin, left, "what is not kept changes nothing");
            }
        }
    }

    @Test
    void onlyItsSizesAreSupported() {
        try (ComputeDevice device = OwnKernels.open(cache, 1);
                GgmlContext context = GgmlContext.open(64, 64)) {
            WindowConvolution convolution = of(device);
            Ops ops = context.ops();
            Tensor columns = context.newTensor(GgmlType.F32, 32, 5, 2);
            Tensor kernel = context.newTensor(GgmlType.F32, 4, 32);
            Tensor kept = kept(context, 32, 2);

            assertTrue(convolution.takes(columns, kernel));
            assertFalse(convolution.takes(context.newTensor(GgmlType.F32, 24, 5, 2), kernel));
            assertFalse(convolution.takes(columns, context.newTensor(GgmlType.F32, 3, 32)));
            assertFalse(convolution.takes(columns, context.newTensor(GgmlType.F16, 4, 32)));
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            convolution.apply(
                                    ops,
                                    columns,
                                    context.newTensor(GgmlType.F32, 4, 16),
                                    kept,
                                    Optional.empty()));
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            convolution.apply(
                                    ops, columns, kernel, kept, Optional.of(kept(context, 32, 1))));
        }
    }

    /** The kernel for AVX2 rounds products that ggml with AVX-512 does not. */
    @Test
    void differentBitsAreDetected() {
        try (ComputeDevice device = OwnKernels.open(cache, 1)) {
            assumeTrue(device.ggmlDevice().features().containsKey("AVX512"), "this takes AVX-512");
            Path folder = new NativeBundle(CpuBackendProvider.class, "kernels", cache).unpack();
            Path library = folder.resolve(Kernels.LIBRARY);

            assertTrue(agree(device, new Kernels(library, "avx512")));
            assertFalse(agree(device, new Kernels(library, "avx2")));
        }
    }

    private static boolean agree(ComputeDevice device, Kernels kernels) {
        return new InPlaceConvolution(kernels).agreesWithGgml(device.ggmlDevice());
    }
}
