package dev.varve.plugin.cpu;

import dev.varve.api.backend.DeltaRule;
import dev.varve.api.ggml.Backend;
import dev.varve.api.ggml.DeltaInputs;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The gated delta rule by Varve's own kernel. ggml reads a whole state several times for each token
 * and writes the new one elsewhere; this kernel processes all tokens for a few rows of the state at
 * a time.
 */
final class InPlaceDelta implements DeltaRule {
    /**
     * Elements of a row that the accumulators of a dot product process at a time, and maximum
     * length of a row.
     */
    private static final int STEP = 64;

    private static final int MOST = 256;

    private final NativeOperator delta;
    private final NativeOperator guess;
    private final NativeOperator advance;
    private final NativeOperator branches;

    /**
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if they cannot be loaded
     */
    InPlaceDelta(Kernels kernels) {
        delta = kernels.operator("delta");
        guess = kernels.operator("guess");
        advance = kernels.operator("advance");
        branches = kernels.operator("branches");
    }

    /** Returns the kernel for a processor, if one exists that produces ggml's bits. */
    static Optional<InPlaceDelta> find(GgmlDevice device, Path library) {
        return Kernels.find(
                device,
                library,
                "ggml computes the recurrent states",
                InPlaceDelta::new,
                rule -> rule.agreesWithGgml(device));
    }

    @Override
    public boolean takes(DeltaInputs inputs) {
        return takes((int) inputs.value().ne(0)) && inputs.decay().ne(0) == 1;
    }

    @Override
    public boolean takes(int size) {
        return size % STEP == 0 && size <= MOST;
    }

    @Override
    public Tensor apply(Ops ops, DeltaInputs inputs, Tensor before, Optional<Tensor> after) {
        requireFit(inputs, before);
        after.ifPresent(state -> requireFit(inputs, state));
        return operate(ops, delta, inputs, before, after.stream().toArray(Tensor[]::new));
    }

    @Override
    public Tensor guess(Ops ops, DeltaInputs inputs, Tensor before, Tensor deltas) {
        requireFit(inputs, before);
        requireSameShape(inputs.value(), deltas);
        return operate(ops, guess, inputs, before, deltas);
    }

    @Override
    public Tensor branch(
            Ops ops, DeltaInputs inputs, Tensor before, Tensor deltas, Tensor parents) {
        requireFit(inputs, before);
        requireSameShape(inputs.value(), deltas);
        TreeParents.require(parents, inputs.value().ne(2), inputs.value().ne(3));
        return operate(ops, branches, inputs, before, deltas, parents);
    }

    private static Tensor operate(
            Ops ops, NativeOperator operator, DeltaInputs inputs, Tensor before, Tensor... kept) {
        Tensor value = inputs.value();
        List<Tensor> sources = new ArrayList<>();
        sources.add(inputs.query());
        sources.add(inputs.key());
        sources.add(value);
        sources.add(ops.exp(inputs.decay()));
        sources.add(inputs.beta());
        sources.add(before);
        sources.addAll(List.of(kept));
        return ops.custom(
                operator,
                Extents.of(value.ne(0), value.ne(1), value.ne(2), value.ne(3)),
                sources.toArray(Tensor[]::new));
    }

    @Override
    public Tensor advance(
            Ops ops, Tensor keys, Tensor deltas, Tensor decay, Tensor before, Tensor after) {
        DeltaInputs inputs = new DeltaInputs(keys, keys, deltas, decay, decay);
        requireFit(inputs, before);
        requireFit(inputs, after);
        return ops.custom(advance, Extents.of(1, 1), keys, deltas, ops.exp(decay), before, after);
    }

    private static void requireSameShape(Tensor value, Tensor deltas) {
        boolean sameShape = deltas.type() == GgmlType.F32 && deltas.nb(0) == Float.BYTES;
        for (int i = 0; i < 4; i++) {
            sameShape &= deltas.ne(i) == value.ne(i);
        }
        if (!sameShape) {
            throw new IllegalArgumentException(
                    "delta rule: expected deltas of the same shape as the values, "
                            + value
                            + ", found "
                            + deltas);
        }
    }

    private void requireFit(DeltaInputs inputs, Tensor state) {
        inputs.requireFit("delta rule", state);
        if (!takes(inputs)) {
            throw new IllegalArgumentException(
                    "delta rule: expected rows in multiples of "
                            + STEP
                            + " up to "
                            + MOST
                            + " and a decay per head, found "
                            + inputs.value()
                            + " and "
                            + inputs.decay());
        }
    }

    /** Compares results and states for numbers of very different sizes. */
    boolean agreesWithGgml(GgmlDevice device) {
        return agreesWithGgml(device, STEP) && agreesWithGgml(device, 2 * STEP);
    }

    private boolean agreesWithGgml(GgmlDevice device, int size) {
        int heads = 2;
        int tokens = 3;
        try (Backend backend = device.open();
                GgmlContext inputs = GgmlContext.open(16, 0);
                GgmlContext nodes = GgmlContext.open(32, 32);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            DeltaInputs given =
                    new DeltaInputs(
                            inputs.newTensor(GgmlType.F32, size, 1, tokens, 1),
                            inputs.newTensor(GgmlType.F32, size, 1, tokens, 1),
                            inputs.newTensor(GgmlType.F32, size, heads, tokens, 1),
                            inputs.newTensor(GgmlType.F32, 1, heads, tokens, 1),
                            inputs.newTensor(GgmlType.F32, 1, heads, tokens, 1));
            Tensor state = inputs.newTensor(GgmlType.F32, size, size, heads, 1);
            Tensor after = inputs.newTensor(GgmlType.F32, size, size, heads, 1);
            Tensor advanced = inputs.newTensor(GgmlType.F32, size, size, heads, 1);
            Tensor deltas = inputs.newTensor(GgmlType.F32, size, heads, tokens, 1);
            Tensor parents = inputs.newTensor(GgmlType.I32, tokens, 1);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                Samples samples = new Samples(1);
                samples.fill(given.query(), -1, 1);
                samples.fill(given.key(), -1, 1);
                samples.fill(given.value(), -1, 1);
                samples.fill(given.decay(), -2, 0);
                samples.fill(given.beta(), 0, 1);
                samples.fill(state, -1, 1);
                Ops ops = nodes.ops();
                Tensor expected = ops.gatedDeltaNet(given, state, 1).markOutput();
                Tensor found = apply(ops, given, state, Optional.of(after)).markOutput();
                Tensor guessed = guess(ops, given, state, deltas).markOutput();
                parents.write(new int[] {-1, 0, 1}, 0, tokens, 0);
                Tensor path = branch(ops, given, state, deltas, parents).markOutput();
                Graph graph = nodes.newGraph(32);
                graph.expand(expected);
                graph.expand(found);
                graph.expand(guessed);
                graph.expand(path);
                graph.expand(advance(ops, given.key(), deltas, given.decay(), state, advanced));
                allocator.allocate(graph);
                backend.setThreads(1);
                backend.compute(graph);
                int[] all = Samples.bits(expected);
                int results = Math.toIntExact(found.elements());
                int[] expectedResults = Arrays.copyOf(all, results);
                int[] expectedState = Arrays.copyOfRange(all, results, all.length);
                return Arrays.equals(expectedResults, Samples.bits(found))
                        && Arrays.equals(expectedResults, Samples.bits(guessed))
                        && Arrays.equals(expectedResults, Samples.bits(path))
                        && Arrays.equals(expectedState, Samples.bits(after))
                        && Arrays.equals(expectedState, Samples.bits(advanced));
            }
        }
    }
}
