package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeltaRule;
import dev.varve.api.backend.TokenTrees;
import dev.varve.api.backend.WindowConvolution;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Each token of a tree has the bits that it has behind the tokens that it follows, alone. */
class InPlaceTreeTest {
    private static final int KEPT = 3;

    @TempDir Path cache;

    /** Trees of all shapes: paths, stars, and what lies between. */
    private static int[] tree(Random random, int tokens) {
        int reach = 1 + random.nextInt(tokens);
        int[] parents = new int[tokens];
        int[] levels = new int[tokens];
        parents[0] = -1;
        for (int i = 1; i < tokens; i++) {
            do {
                parents[i] = i - 1 - random.nextInt(Math.min(i, reach));
            } while (levels[parents[i]] == TokenTrees.MOST_LEVELS - 1);
            levels[i] = levels[parents[i]] + 1;
        }
        return parents;
    }

    private static int[] path(int[] parents, int token) {
        List<Integer> path = new ArrayList<>();
        for (int i = token; i >= 0; i = parents[i]) {
            path.addFirst(i);
        }
        return path.stream().mapToInt(Integer::intValue).toArray();
    }

    @ParameterizedTest
    @CsvSource({
        "64, 1, 2, 2, 1, 1",
        "128, 2, 4, 23, 2, 2",
        "128, 1, 1, 64, 1, 2",
        "192, 1, 2, 9, 3, 3",
        "256, 2, 2, 40, 1, 2"
    })
    void deltaRule(int size, int keyHeads, int heads, int tokens, int sequences, int threads) {
        Random random = new Random(size + tokens);
        for (int round = 0; round < 6; round++) {
            try (ComputeDevice device = OwnKernels.open(cache, threads);
                    GgmlContext inputs = GgmlContext.open(16, 0)) {
                DeltaRule rule = device.recurrentOperators().deltaRule().orElseThrow();
                DeltaInputs given =
                        new DeltaInputs(
                                inputs.newTensor(GgmlType.F32, size, keyHeads, tokens, sequences),
                                inputs.newTensor(GgmlType.F32, size, keyHeads, tokens, sequences),
                                inputs.newTensor(GgmlType.F32, size, heads, tokens, sequences),
                                inputs.newTensor(GgmlType.F32, 1, heads, tokens, sequences),
                                inputs.newTensor(GgmlType.F32, 1, heads, tokens, sequences));
                Tensor state = inputs.newTensor(GgmlType.F32, size, size, heads, sequences);
                Tensor deltas = inputs.newTensor(GgmlType.F32, size, heads, tokens, sequences);
                Tensor alone = inputs.newTensor(GgmlType.F32, size, heads, tokens, sequences);
                Tensor parents = inputs.newTensor(GgmlType.I32, tokens, sequences);
                try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                    buffer.markWeights();
                    OwnKernels.fill(given.query(), 1 + round, -1, 1);
                    OwnKernels.fill(given.key(), 2, -1, 1);
                    OwnKernels.fill(given.value(), 3, -1, 1);
                    OwnKernels.fill(given.decay(), 4, -3, 0);
                    OwnKernels.fill(given.beta(), 5, 0, 1);
                    OwnKernels.fill(state, 6, -1, 1);
                    int[][] trees = new int[sequences][];
                    for (int s = 0; s < sequences; s++) {
                        trees[s] = tree(random, tokens);
                        parents.write(trees[s], 0, tokens, (long) s * tokens);
                    }
                    int[] found;
                    try (GgmlContext nodes = GgmlContext.open(16, 16);
                            GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
                        found =
                                compute(
                                        device,
                                        nodes,
                                        allocator,
                                        rule.branch(nodes.ops(), given, state, deltas, parents));
                    }
                    int[] kept = Samples.bits(deltas);
                    for (int s = 0; s < sequences; s++) {
                        for (int token = 0; token < tokens; token++) {
                            int[] path = path(trees[s], token);
                            int[] expected;
                            try (GgmlContext nodes = GgmlContext.open(64, 64);
                                    GraphAllocator allocator =
                                            new GraphAllocator(device.bufferType())) {
                                expected =
                                        aloneOn(
                                                device, nodes, allocator, rule, given, state, alone,
                                                path, s);
                            }
                            int length = size * heads;
                            int at = (s * tokens + token) * length;
                            int last = (path.length - 1) * length;
                            assertArrayEquals(
                                    Arrays.copyOfRange(expected, last, last + length),
                                    Arrays.copyOfRange(found, at, at + length),
                                    "token " + token + " of " + Arrays.toString(trees[s]));
                            assertArrayEquals(
                                    Arrays.copyOfRange(Samples.bits(alone), last, last + length),
                                    Arrays.copyOfRange(kept, at, at + length),
                                    "delta of token " + token);
                        }
                    }
                }
            }
        }
    }

    private static int[] aloneOn(
            ComputeDevice device,
            GgmlContext nodes,
            GraphAllocator allocator,
            DeltaRule rule,
            DeltaInputs given,
            Tensor state,
            Tensor deltas,
            int[] path,
            int sequence) {
        Ops ops = nodes.ops();
        Tensor ids = nodes.newTensor(GgmlType.I32, path.length).markInput();
        DeltaInputs own =
                new DeltaInputs(
                        rows(ops, given.query(), ids, sequence),
                        rows(ops, given.key(), ids, sequence),
                        rows(ops, given.value(), ids, sequence),
                        rows(ops, given.decay(), ids, sequence),
                        rows(ops, given.beta(), ids, sequence));
        Tensor before =
                ops.view(
                        state,
                        Extents.of(state.ne(0), state.ne(1), state.ne(2), 1),
                        Strides.of(state.nb(1), state.nb(2), state.nb(3)),
                        sequence * state.nb(3));
        Tensor kept =
                ops.view(
                        deltas,
                        Extents.of(deltas.ne(0), deltas.ne(1), path.length, 1),
                        Strides.of(deltas.nb(1), deltas.nb(2), deltas.nb(3)),
                        0);
        Tensor result = rule.guess(ops, own, before, kept);
        Graph graph = nodes.newGraph(64);
        graph.expand(result.markOutput());
        allocator.allocate(graph);
        ids.write(path, 0, path.length, 0);
        device.compute(graph, ComputeDevice.Phase.DECODE);
        return Samples.bits(result);
    }

    /** Some tokens of a sequence: {@code [.., T, n] -> [.., tokens, 1]}. */
    private static Tensor rows(Ops ops, Tensor all, Tensor ids, int sequence) {
        Tensor table =
                ops.view2d(all, all.ne(0) * all.ne(1), all.ne(2), all.nb(2), sequence * all.nb(3));
        return ops.reshape4d(ops.getRows(table, ids), all.ne(0), all.ne(1), ids.ne(0), 1);
    }

    private static int[] compute(
            ComputeDevice device, GgmlContext nodes, GraphAllocator allocator, Tensor result) {
        Graph graph = nodes.newGraph(16);
        graph.expand(result.markOutput());
        allocator.allocate(graph);
        device.compute(graph, ComputeDevice.Phase.DECODE);
        return Samples.bits(result);
    }

    @ParameterizedTest
    @CsvSource({"16, 2, 1, 1", "96, 23, 2, 2", "6144, 9, 1, 2", "64, 64, 3, 3"})
    void convolution(int channels, int tokens, int sequences, int threads) {
        Random random = new Random(channels);
        try (ComputeDevice device = OwnKernels.open(cache, threads);
                GgmlContext inputs = GgmlContext.open(16, 0)) {
            WindowConvolution convolution = device.recurrentOperators().convolution().orElseThrow();
            Tensor columns = inputs.newTensor(GgmlType.F32, channels, tokens, sequences);
            Tensor kernel = inputs.newTensor(GgmlType.F32, KEPT + 1, channels);
            Tensor before = inputs.newTensor(GgmlType.F32, KEPT, channels, sequences);
            Tensor parents = inputs.newTensor(GgmlType.I32, tokens, sequences);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                buffer.markWeights();
                OwnKernels.fill(columns, 1, -1, 1);
                OwnKernels.fill(kernel, 2, -1, 1);
                OwnKernels.fill(before, 3, -1, 1);
                int[][] trees = new int[sequences][];
                for (int s = 0; s < sequences; s++) {
                    trees[s] = tree(random, tokens);
                    parents.write(trees[s], 0, tokens, (long) s * tokens);
                }
                int[] found;
                try (GgmlContext nodes = GgmlContext.open(16, 16);
                        GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
                    found =
                            compute(
                                    device,
                                    nodes,
                                    allocator,
                                    convolution.branch(
                                            nodes.ops(), columns, kernel, before, parents));
                }
                for (int s = 0; s < sequences; s++) {
                    for (int token = 0; token < tokens; token++) {
                        int[] path = path(trees[s], token);
                        int[] expected;
                        try (GgmlContext nodes = GgmlContext.open(32, 32);
                                GraphAllocator allocator =
                                        new GraphAllocator(device.bufferType())) {
                            Ops ops = nodes.ops();
                            Tensor ids = nodes.newTensor(GgmlType.I32, path.length).markInput();
                            Tensor table =
                                    ops.view2d(
                                            columns,
                                            channels,
                                            tokens,
                                            columns.nb(1),
                                            s * columns.nb(2));
                            Tensor own =
                                    ops.reshape3d(
                                            ops.getRows(table, ids), channels, path.length, 1);
                            Tensor kept =
                                    ops.view(
                                            before,
                                            Extents.of(KEPT, channels, 1),
                                            Strides.of(before.nb(1), before.nb(2)),
                                            s * before.nb(2));
                            Tensor joined = ops.concat(kept, ops.cont(ops.transpose(own)), 0);
                            Tensor result = ops.ssmConv(joined, kernel);
                            Graph graph = nodes.newGraph(32);
                            graph.expand(result.markOutput());
                            allocator.allocate(graph);
                            ids.write(path, 0, path.length, 0);
                            device.compute(graph, ComputeDevice.Phase.DECODE);
                            expected = Samples.bits(result);
                        }
                        int at = (s * tokens + token) * channels;
                        int last = (path.length - 1) * channels;
                        assertArrayEquals(
                                Arrays.copyOfRange(expected, last, last + channels),
                                Arrays.copyOfRange(found, at, at + channels),
                                "token " + token + " of " + Arrays.toString(trees[s]));
                    }
                }
            }
        }
    }

    @Test
    void parentsMustFit() {
        try (ComputeDevice device = OwnKernels.open(cache, 1);
                GgmlContext context = GgmlContext.open(64, 64)) {
            WindowConvolution convolution = device.recurrentOperators().convolution().orElseThrow();
            Ops ops = context.ops();
            Tensor columns = context.newTensor(GgmlType.F32, 32, 5, 2);
            Tensor kernel = context.newTensor(GgmlType.F32, KEPT + 1, 32);
            Tensor before = context.newTensor(GgmlType.F32, KEPT, 32, 2);

            IllegalArgumentException thrown =
                    assertThrows(
                            IllegalArgumentException.class,
                            () ->
                                    convolution.branch(
                                            ops,
                                            columns,
                                            kernel,
                                            before,
                                            context.newTensor(GgmlType.I32, 5, 1)));
            assertEquals(
                    "tree: expected I32 parents of 2 times 5 tokens, at most 64, found",
                    thrown.getMessage().substring(0, 65));
        }
    }
}
