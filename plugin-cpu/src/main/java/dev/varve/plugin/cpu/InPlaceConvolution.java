package dev.varve.plugin.cpu;

import dev.varve.api.backend.WindowConvolution;
import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.NativeOperator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The convolution of recurrent layers by Varve's own kernel. ggml needs kept and new inputs
 * concatenated channel by channel, which takes most of its time.
 */
final class InPlaceConvolution implements WindowConvolution {
    /** Elements of a kernel, and channels that are processed at a time. */
    private static final int TAPS = 4;

    private static final int STEP = 16;

    private final NativeOperator convolution;
    private final NativeOperator branches;

    /**
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if it cannot be loaded
     */
    InPlaceConvolution(Kernels kernels) {
        convolution = kernels.operator("convolution");
        branches = kernels.operator("branches_convolution");
    }

    /** Returns the kernel for a processor, if one exists that produces ggml's bits. */
    static Optional<InPlaceConvolution> find(GgmlDevice device, Path library) {
        return Kernels.find(
                device,
                library,
                "ggml computes the convolutions of recurrent layers",
                InPlaceConvolution::new,
                each -> each.agreesWithGgml(device));
    }

    @Override
    public boolean takes(Tensor columns, Tensor kernel) {
        return isFloats(columns)
                && isFloats(kernel)
                && kernel.ne(0) == TAPS
                && columns.ne(0) % STEP == 0;
    }

    private static boolean isFloats(Tensor tensor) {
        return tensor.type() == GgmlType.F32 && tensor.nb(0) == Float.BYTES;
    }

    @Override
    public Tensor apply(
            Ops ops, Tensor columns, Tensor kernel, Tensor before, Optional<Tensor> after) {
        requireFit(columns, kernel, before);
        after.ifPresent(kept -> requireFit(columns, kernel, kept));
        Extents results = Extents.of(columns.ne(0), columns.ne(1), columns.ne(2));
        return after.isPresent()
                ? ops.custom(convolution, results, columns, kernel, before, after.get())
                : ops.custom(convolution, results, columns, kernel, before);
    }

    @Override
    public Tensor branch(Ops ops, Tensor columns, Tensor kernel, Tensor before, Tensor parents) {
        requireFit(columns, kernel, before);
        TreeParents.require(parents, columns.ne(1), columns.ne(2));
        Extents results = Extents.of(columns.ne(0), columns.ne(1), columns.ne(2));
        return ops.custom(branches, results, columns, kernel, before, parents);
    }

    private void requireFit(Tensor columns, Tensor kernel, Tensor kept) {
        long channels = columns.ne(0);
        boolean fits =
                kernel.ne(1) == channels
                        && columns.ne(3) == 1
                        && isFloats(kept)
                        && kept.ne(0) == TAPS - 1
                        && kept.ne(1) == channels
                        && kept.ne(2) == columns.ne(2);
        if (!fits || !takes(columns, kernel)) {
            throw new IllegalArgumentException(
                    "convolution: expected F32 kernels of "
                            + TAPS
                            + ", channels in multiples of "
                            + STEP
                            + " and "
                            + (TAPS - 1)
                            + " stored inputs of each, found "
                            + columns
                            + ", "
                            + kernel
                            + " and "
                            + kept);
        }
    }

    /** Compares results and kept inputs for numbers of very different sizes. */
    boolean agreesWithGgml(GgmlDevice device) {
        int channels = 2 * STEP;
        int tokens = 6;
        int kept = TAPS - 1;
        try (Backend backend = device.open();
                GgmlContext inputs = GgmlContext.open(8, 0);
                GgmlContext nodes = GgmlContext.open(16, 16);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor columns = inputs.newTensor(GgmlType.F32, channels, tokens, 1);
            Tensor kernel = inputs.newTensor(GgmlType.F32, TAPS, channels);
            Tensor before = inputs.newTensor(GgmlType.F32, kept, channels, 1);
            Tensor after = inputs.newTensor(GgmlType.F32, kept, channels, 1);
            Tensor parents = inputs.newTensor(GgmlType.I32, tokens, 1);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                Samples samples = new Samples(1);
                for (Tensor tensor : new Tensor[] {columns, kernel, before}) {
                    samples.fill(tensor, -1, 1);
                }
                Ops ops = nodes.ops();
                Tensor joined = ops.concat(before, ops.cont(ops.transpose(columns)), 0);
                Tensor expected = ops.ssmConv(joined, kernel).markOutput();
                Tensor found = apply(ops, columns, kernel, before, Optional.of(after)).markOutput();
                parents.write(new int[] {-1, 0, 1, 2, 3, 4}, 0, tokens, 0);
                Tensor path = branch(ops, columns, kernel, before, parents).markOutput();
                Graph graph = nodes.newGraph(16);
                graph.expand(joined.markOutput());
                graph.expand(expected);
                graph.expand(found);
                graph.expand(path);
                allocator.allocate(graph);
                backend.setThreads(1);
                backend.compute(graph);
                return Arrays.equals(Samples.bits(expected), Samples.bits(found))
                        && Arrays.equals(Samples.bits(expected), Samples.bits(path))
                        && Arrays.equals(last(Samples.bits(joined), channels), Samples.bits(after));
            }
        }
    }

    /** The last inputs of each channel. */
    private static int[] last(int[] joined, int channels) {
        int kept = TAPS - 1;
        int all = joined.length / channels;
        int[] last = new int[channels * kept];
        for (int channel = 0; channel < channels; channel++) {
            System.arraycopy(joined, (channel + 1) * all - kept, last, channel * kept, kept);
        }
        return last;
    }
}
