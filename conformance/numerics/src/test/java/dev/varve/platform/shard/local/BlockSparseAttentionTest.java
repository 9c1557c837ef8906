package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.platform.shard.scoring.BlockSelectionRule;
import dev.varve.platform.shard.scoring.HeadShape;
import dev.varve.platform.shard.scoring.PlainSparseAttention;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;

/** Attention of chunks to blocks of keys, against the rule and attention in plain Java. */
class BlockSparseAttentionTest {
    private static final int LENGTH = 64;

    /** Sums of hundreds of float products, and keys and values of F32. */
    private static final double EXACT = 2e-5;

    private static ComputeDevice device;

    @BeforeAll
    static void open() {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        device =
                new CpuBackendProvider()
                        .open(new BackendOptions(natives, Optional.of(natives), false))
                        .open(0, new DeviceOptions(OptionalInt.of(2), OptionalInt.empty(), false));
    }

    @AfterAll
    static void close() {
        device.close();
    }

    /** Queries, keys and values of a text in one layer: {@code [LENGTH, heads, tokens]} each. */
    private record Text(HeadShape shape, float[] queries, float[] keys, float[] values) {
        static Text random(HeadShape shape, int tokens, long seed) {
            SplittableRandom random = new SplittableRandom(TestSeed.of(seed));
            return new Text(
                    shape,
                    gaussian(random, tokens * shape.queryHeads() * LENGTH, 2),
                    gaussian(random, tokens * shape.keyHeads() * LENGTH, 1),
                    gaussian(random, tokens * shape.keyHeads() * LENGTH, 1));
        }

        private static float[] gaussian(SplittableRandom random, int count, double deviation) {
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
                values[i] = (float) random.nextGaussian(0, deviation);
            }
            return values;
        }

        int tokens() {
            return keys.length / (LENGTH * shape.keyHeads());
        }
    }

    /** Heads of queries and keys, tokens, tokens of a chunk, and part of the best score. */
    @ParameterizedTest
    @CsvSource({
        "4, 2, 1100, 512, 0.85",
        "4, 2, 1100, 256, 0.95",
        "2, 2, 769, 256, 0.9",
        "8, 1, 1024, 512, 0.95",
        "1, 1, 1025, 1024, 0.85",
        "4, 2, 129, 128, 0.5",
        "4, 2, 100, 512, 0.85"
    })
    void chunksAttendToTheSelectedBlocks(
            int queryHeads, int keyHeads, int tokens, int chunk, double alpha) {
        Text text = Text.random(new HeadShape(LENGTH, queryHeads, keyHeads), tokens, 31 + tokens);
        BlockSelectionRule rule = new BlockSelectionRule(alpha, 1, 1, 1);
        int[][][] blocks =
                PlainSparseAttention.blocks(text.shape(), text.queries(), text.keys(), rule);
        double[] expected =
                PlainSparseAttention.attend(
                        text.shape(), text.queries(), text.keys(), text.values(), blocks);

        float[] attended = attend(text, rule, chunk);

        assertEquals(expected.length, attended.length);
        for (int i = 0; i < attended.length; i++) {
            double difference = Math.abs(expected[i] - attended[i]);
            String what = "element " + i + ": " + expected[i] + ", " + attended[i];
            assertTrue(difference <= EXACT * Math.max(1, Math.abs(expected[i])), what);
        }
        assertTrue(tokens < 1000 || leavesOut(blocks), "the rule leaves nothing out here");
    }

    private static boolean leavesOut(int[][][] blocks) {
        int last = blocks.length - 2;
        return Arrays.stream(blocks[last]).anyMatch(chosen -> chosen.length < last + 1);
    }

    private static float[] attend(Text text, BlockSelectionRule rule, int chunk) {
        int slots = Math.ceilDiv(text.tokens(), 256) * 256;
        long width = (long) LENGTH * text.shape().keyHeads();
        float[] all = new float[text.queries().length];
        try (GgmlContext context = GgmlContext.open(2, 0)) {
            Tensor keys = context.newTensor(GgmlType.F32, width, slots);
            Tensor values = context.newTensor(GgmlType.F32, width, slots);
            try (DeviceBuffer buffer = context.allocate(device.bufferType()).orElseThrow()) {
                buffer.clear();
                keys.write(text.keys(), 0, text.keys().length, 0);
                values.write(text.values(), 0, text.values().length, 0);
                SparseBlockSelector reading = new SparseBlockSelector(rule, text.tokens());
                for (int begin = 0; begin < text.tokens(); begin += chunk) {
                    int end = Math.min(text.tokens(), begin + chunk);
                    float[] own = attendChunk(text, begin, end, keys, values, reading);
                    System.arraycopy(
                            own, 0, all, begin * text.shape().queryHeads() * LENGTH, own.length);
                }
            }
        }
        return all;
    }

    private static float[] attendChunk(
            Text text,
            int begin,
            int end,
            Tensor keys,
            Tensor values,
            SparseBlockSelector reading) {
        HeadShape shape = text.shape();
        int slots = Math.ceilDiv(end, 256) * 256;
        try (GgmlContext context = GgmlContext.open(128, 128);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Ops ops = context.ops();
            Graph graph = context.newGraph(128);
            Tensor query = input(context, shape.queryHeads(), end - begin);
            Tensor chunkKeys = input(context, shape.keyHeads(), end - begin);
            // A copy, so that there is something to compute before the keys are known.
            Tensor copy = ops.cont(chunkKeys);
            graph.expand(copy);
            KvPool.Layer layer =
                    new KvPool.Layer(
                            new LayerState.FullAttention(shape.keyHeads(), LENGTH, LENGTH),
                            keys,
                            Optional.of(values));
            BlockSparseAttention.SparseAttentionResult recorded =
                    new BlockSparseAttention(
                                    ops,
                                    graph,
                                    new GraphInputs(context, new GraphKey(List.of()), 0, 1),
                                    layer.state(),
                                    slots)
                            .attend(
                                    query,
                                    copy,
                                    layer.keyHeads(ops, 0, slots),
                                    layer.valueHeads(ops, 0, slots),
                                    AttentionBlock.Scores.scaled((float) shape.scale()));
            Tensor result = ops.cont(recorded.result()).markOutput();
            graph.expand(result);
            allocator.reserve(graph);
            allocator.allocate(graph);
            write(query, text.queries(), begin);
            write(chunkKeys, text.keys(), begin);
            reading.compute(recorded.steps(), begin, (from, to) -> compute(graph, from, to));
            compute(graph, recorded.steps().ends().last(), graph.nodes());
            float[] attended = new float[Math.toIntExact(result.elements())];
            result.read(attended, 0, attended.length, 0);
            return attended;
        }
    }

    private static Tensor input(GgmlContext context, int heads, int tokens) {
        return context.newTensor(GgmlType.F32, LENGTH, heads, tokens).markInput();
    }

    private static void write(Tensor tensor, float[] text, int begin) {
        int count = Math.toIntExact(tensor.elements());
        tensor.write(text, begin * Math.toIntExact(tensor.ne(0) * tensor.ne(1)), count, 0);
    }

    private static void compute(Graph graph, int from, int to) {
        if (from < to) {
            device.compute(graph.range(from, to), Phase.PREFILL);
        }
    }
}
