package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;

import java.util.Optional;

/**
 * Scores how strongly the last tokens of a text attend to each of the others, layer by layer: for
 * each of them the largest probability of any head of any layer. All layers share the rows of the
 * keys in turn, so one graph serves all of them. For one thread.
 */
final class TailScores implements AutoCloseable {
    private static final int TENSORS = 16;

    /** Probabilities of one head at a time, {@code [slots, tail]}. */
    private final float[] shares;

    private final GgmlContext context;
    private final GraphAllocator allocator;
    private final Graph graph;
    private final Tensor query;
    private final Tensor mask;
    private final Tensor result;
    private final int tokens;
    private final int tail;
    private final int slots;
    private final float[][] best;

    /**
     * @param keys {@code [keyLength * kvHeads, slots]}
     * @param heads query heads
     * @param tail number of last tokens whose queries are scored
     */
    TailScores(
            Tensor keys,
            LayerState.Attention state,
            int heads,
            int tokens,
            int tail,
            ComputeDevice device) {
        this.tokens = tokens;
        this.tail = tail;
        slots = Math.toIntExact(keys.ne(1));
        best = new float[tail][tokens];
        shares = new float[slots * tail];
        context = GgmlContext.open(TENSORS, TENSORS);
        allocator = new GraphAllocator(device.bufferType());
        try {
            graph = context.newGraph(TENSORS);
            Ops ops = context.ops();
            query = context.newTensor(GgmlType.F32, state.keyLength(), tail, heads).markInput();
            mask = context.newTensor(GgmlType.F16, slots, tail).markInput();
            Tensor rows = KvPool.heads(ops, keys, state.kvHeads(), state.keyLength(), 0, slots);
            Tensor scores = ops.accumulateF32(ops.mulMat(rows, query));
            float scale = (float) (1 / Math.sqrt(state.keyLength()));
            result = ops.softMaxExt(scores, Optional.of(mask), scale).markOutput();
            graph.expand(result);
            allocator.reserve(graph);
            allocator.allocate(graph);
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** Bytes of its results on the device. */
    long bytes() {
        return allocator.bufferBytes();
    }

    /**
     * Adds a layer, whose keys are in the shared rows.
     *
     * @param queries {@code F32 [keyLength, tail, heads]}
     */
    void add(float[] queries, ComputeDevice device) {
        query.write(queries, 0, queries.length, 0);
        // The allocator may have reused the mask's memory since.
        writeMask();
        device.compute(graph, Phase.PREFILL);
        int heads = Math.toIntExact(result.ne(2));
        for (int head = 0; head < heads; head++) {
            result.read(shares, 0, shares.length, (long) head * shares.length);
            for (int row = 0; row < tail; row++) {
                takeMost(best[row], row * slots);
            }
        }
    }

    private void takeMost(float[] most, int begin) {
        for (int token = 0; token < tokens; token++) {
            most[token] = Math.max(most[token], shares[begin + token]);
        }
    }

    private void writeMask() {
        short[] values = new short[slots * tail];
        short hidden = Float.floatToFloat16(Float.NEGATIVE_INFINITY);
        for (int row = 0; row < tail; row++) {
            int seen = tokens - tail + row + 1;
            for (int slot = seen; slot < slots; slot++) {
                values[row * slots + slot] = hidden;
            }
        }
        mask.write(values, 0, values.length, 0);
    }

    /** Returns per token the mean over the last tokens, for all layers added so far. */
    float[] scores() {
        float[] scores = new float[tokens];
        for (float[] row : best) {
            for (int token = 0; token < tokens; token++) {
                scores[token] += row[token] / tail;
            }
        }
        return scores;
    }

    @Override
    public void close() {
        allocator.close();
        context.close();
    }
}
