package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeltaRule;
import dev.varve.api.backend.NativeBundle;
import dev.varve.api.ggml.DeltaInputs;
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
import java.util.Arrays;
import java.util.Optional;

/** States that are changed where they lie have the bits of ggml's. */
class InPlaceDeltaTest {
    @TempDir Path cache;

    private ComputeDevice open(int threads) {
        return OwnKernels.open(cache, threads);
    }

    private static DeltaRule ruleOf(ComputeDevice device) {
        return device.recurrentOperators().deltaRule().orElseThrow();
    }

    private static DeltaInputs inputs(
            GgmlContext context, int size, int keyHeads, int heads, int tokens, int sequences) {
        return new DeltaInputs(
                context.newTensor(GgmlType.F32, size, keyHeads, tokens, sequences),
                context.newTensor(GgmlType.F32, size, keyHeads, tokens, sequences),
                context.newTensor(GgmlType.F32, size, heads, tokens, sequences),
                context.newTensor(GgmlType.F32, 1, heads, tokens, sequences),
                context.newTensor(GgmlType.F32, 1, heads, tokens, sequences));
    }

    private static Tensor[] states(GgmlContext context, int size, int heads, int sequences) {
        Tensor[] states = new Tensor[4];
        for (int i = 0; i < states.length; i++) {
            states[i] = context.newTensor(GgmlType.F32, size, size, heads, sequences);
        }
        return states;
    }

    @ParameterizedTest
    @CsvSource({
        "64, 1, 1, 1, 1, 1",
        "64, 2, 4, 5, 3, 2",
        "128, 2, 2, 1, 4, 2",
        "128, 3, 6, 8, 1, 3",
        "128, 1, 3, 70, 2, 2",
        "192, 1, 2, 9, 1, 2",
        "256, 2, 2, 3, 2, 1"
    })
    void resultsAndStatesMatchGgmlBitwise(
            int size, int keyHeads, int heads, int tokens, int sequences, int threads) {
        try (ComputeDevice device = open(threads);
                GgmlContext inputs = GgmlContext.open(16, 0);
                GgmlContext nodes = GgmlContext.open(32, 32);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            DeltaRule rule = ruleOf(device);
            DeltaInputs given = inputs(inputs, size, keyHeads, heads, tokens, sequences);
            Tensor[] states = states(inputs, size, heads, sequences);
            Tensor deltas = inputs.newTensor(GgmlType.F32, size, heads, tokens, sequences);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                fill(given);
                float[] begin = OwnKernels.fill(states[0], 6, -1, 1);
                for (Tensor state : states) {
                    state.write(begin, 0, begin.length, 0);
                }
                Ops ops = nodes.ops();
                Tensor expected = ops.gatedDeltaNet(given, states[0], 1).markOutput();
                Tensor kept =
                        rule.apply(ops, given, states[0], Optional.of(states[1])).markOutput();
                Tensor inPlace =
                        rule.apply(ops, given, states[2], Optional.of(states[2])).markOutput();
                Tensor notKept = rule.apply(ops, given, states[0], Optional.empty()).markOutput();
                Tensor guessed = rule.guess(ops, given, states[0], deltas).markOutput();
                Graph graph = nodes.newGraph(32);
                for (Tensor node : new Tensor[] {expected, kept, inPlace, notKept, guessed}) {
                    graph.expand(node);
                }
                graph.expand(
                        rule.advance(
                                ops, given.key(), deltas, given.decay(), states[3], states[3]));
                allocator.allocate(graph);

                device.compute(graph, ComputeDevice.Phase.DECODE);

                int[] all = Samples.bits(expected);
                int results = (int) kept.elements();
                int[] expectedResults = Arrays.copyOf(all, results);
                int[] expectedStates = Arrays.copyOfRange(all, results, all.length);
                for (Tensor found : new Tensor[] {kept, inPlace, notKept, guessed}) {
                    assertArrayEquals(expectedResults, Samples.bits(found));
                }
                for (int i = 1; i < states.length; i++) {
                    assertArrayEquals(expectedStates, Samples.bits(states[i]), "state " + i);
                }
                float[] left = new float[begin.length];
                states[0].read(left, 0, left.length, 0);
                assertArrayEquals(begin, left, "what is not kept changes nothing");
            }
        }
    }

    /** Queries, keys and values are parts of one row in a model. */
    @Test
    void inputsMayBeNonContiguous() {
        int size = 64;
        try (ComputeDevice device = open(2);
                GgmlContext inputs = GgmlContext.open(16, 0);
                GgmlContext nodes = GgmlContext.open(32, 32);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            DeltaRule rule = ruleOf(device);
            DeltaInputs plain = inputs(inputs, size, 1, 2, 6, 1);
            Tensor rows = inputs.newTensor(GgmlType.F32, 4 * size, 6);
            Tensor state = inputs.newTensor(GgmlType.F32, size, size, 2, 1);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                fill(plain);
                OwnKernels.fill(rows, 9, -1, 1);
                OwnKernels.fill(state, 10, -1, 1);
                Ops ops = nodes.ops();
                DeltaInputs given =
                        new DeltaInputs(
                                part(ops, rows, 0, 1),
                                part(ops, rows, 1, 1),
                                part(ops, rows, 2, 2),
                                plain.decay(),
                                plain.beta());
                Tensor expected = ops.gatedDeltaNet(given, state, 1).markOutput();
                Tensor found = rule.apply(ops, given, state, Optional.empty()).markOutput();
                Graph graph = nodes.newGraph(32);
                graph.expand(expected);
                graph.expand(found);
                allocator.allocate(graph);

                device.compute(graph, ComputeDevice.Phase.DECODE);

                assertArrayEquals(
                        Arrays.copyOf(Samples.bits(expected), (int) found.elements()),
                        Samples.bits(found));
            }
        }
    }

    private static Tensor part(Ops ops, Tensor rows, int first, int heads) {
        long size = rows.ne(0) / 4;
        return ops.view(
                rows,
                Extents.of(size, heads, rows.ne(1), 1),
                Strides.of(size * Float.BYTES, rows.nb(1), rows.nb(1) * rows.ne(1)),
                first * size * Float.BYTES);
    }

    @Test
    void onlyDivisibleSizesAreSupported() {
        try (ComputeDevice device = open(1);
                GgmlContext context = GgmlContext.open(64, 64)) {
            DeltaRule rule = ruleOf(device);
            Ops ops = context.ops();
            DeltaInputs fitting = inputs(context, 64, 1, 2, 3, 1);
            DeltaInputs narrow = inputs(context, 32, 1, 2, 3, 1);
            DeltaInputs byElement =
                    new DeltaInputs(
                            fitting.query(),
                            fitting.key(),
                            fitting.value(),
                            context.newTensor(GgmlType.F32, 64, 2, 3, 1),
                            fitting.beta());

            assertTrue(rule.takes(fitting));
            assertFalse(rule.takes(narrow));
            assertFalse(rule.takes(byElement));
            assertFalse(rule.takes(inputs(context, 320, 1, 1, 1, 1)));
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            rule.apply(
                                    ops,
                                    narrow,
                                    context.newTensor(GgmlType.F32, 32, 32, 2, 1),
                                    Optional.empty()));
            Tensor state = context.newTensor(GgmlType.F32, 64, 64, 2, 1);
            Tensor other = context.newTensor(GgmlType.F32, 64, 64, 1, 1);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> rule.apply(ops, fitting, state, Optional.of(other)));
            assertThrows(
                    IllegalArgumentException.class,
                    () ->
                            rule.advance(
                                    ops,
                                    fitting.key(),
                                    fitting.value(),
                                    fitting.decay(),
                                    state,
                                    other));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> rule.guess(ops, fitting, state, fitting.key()));
        }
    }

    /** The kernel for AVX2 adds up in another order than ggml with AVX-512 does. */
    @Test
    void differentBitsAreDetected() {
        try (ComputeDevice device = open(1)) {
            assumeTrue(device.ggmlDevice().features().containsKey("AVX512"), "this takes AVX-512");
            Path folder = new NativeBundle(CpuBackendProvider.class, "kernels", cache).unpack();
            Path library = folder.resolve(Kernels.LIBRARY);

            assertTrue(
                    new InPlaceDelta(new Kernels(library, "avx512"))
                            .agreesWithGgml(device.ggmlDevice()));
            assertFalse(
                    new InPlaceDelta(new Kernels(library, "avx2"))
                            .agreesWithGgml(device.ggmlDevice()));
        }
    }

    private static void fill(DeltaInputs given) {
        OwnKernels.fill(given.query(), 1, -1, 1);
        OwnKernels.fill(given.key(), 2, -1, 1);
        OwnKernels.fill(given.value(), 3, -1, 1);
        OwnKernels.fill(given.decay(), 4, -3, 0);
        OwnKernels.fill(given.beta(), 5, 0, 1);
    }
}
