package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardResult;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A shard whose layers are hash functions over the same caches as in a real model: a row per slot
 * and a state per state row. Every token depends on all rows and states before it, so a missing,
 * stale or foreign row changes all later tokens.
 */
class HashingShard extends FakeShard {
    /** Number of floats that represent a hash exactly. */
    private static final int PARTS = 3;

    private static final int PART_BITS = 22;
    static final int VOCABULARY = 997;

    private final int layers;
    private final Runnable pace;
    private final boolean keepsState;
    private final long[][] slots;
    private final long[][] rows;

    /**
     * @param layers layers of the whole model
     * @param pace called before each batch; returns after the batch's duration
     * @param keepsState whether tokens depend on a recurrent state, which cannot be cut back
     */
    HashingShard(
            LayerRange range,
            int layers,
            Object turn,
            Runnable pace,
            EngineOptions sizes,
            boolean keepsState) {
        super(range, "hash:" + range.begin(), turn);
        this.keepsState = keepsState;
        this.layers = layers;
        this.pace = pace;
        slots = new long[range.size()][sizes.capacity().caches().slots()];
        rows = new long[range.size()][sizes.capacity().caches().stateRows()];
    }

    private static long mix(long a, long b) {
        long mixed = (a ^ Long.rotateLeft(b, 29)) * 0x9E3779B97F4A7C15L;
        return mixed ^ mixed >>> 31;
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        pace.run();
        for (KvSlotCopy copy : batch.changes().copies()) {
            for (long[] layer : slots) {
                System.arraycopy(layer, copy.from(), layer, copy.to(), copy.count());
            }
        }
        long[] values =
                boundary.map(given -> read(given, batch.tokens())).orElseGet(() -> tokens(batch));
        for (int layer = 0; layer < range().size(); layer++) {
            int column = 0;
            for (SequenceChunk chunk : batch.chunks()) {
                compute(layer, chunk, values, column);
                column += chunk.tokens().length;
            }
        }
        if (range().end() < layers) {
            return CompletableFuture.completedFuture(
                    new ShardResult(
                            new float[0],
                            new int[batch.outputs()],
                            0,
                            Optional.of(write(values)),
                            List.of()));
        }
        int[] best = new int[batch.outputs()];
        float[] logits = new float[best.length * VOCABULARY];
        int column = 0;
        int row = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            column += chunk.tokens().length;
            if (chunk.outputs() != RequestedOutput.NONE) {
                best[row] = Math.floorMod(values[column - 1], VOCABULARY);
                if (chunk.outputs() == RequestedOutput.LAST) {
                    fill(logits, row * VOCABULARY, values[column - 1], best[row]);
                }
                row++;
            }
        }
        return CompletableFuture.completedFuture(
                new ShardResult(logits, best, best.length, Optional.empty(), List.of()));
    }

    /** Writes logits from 0 to 4, and 5 for the best token. */
    private static void fill(float[] logits, int offset, long value, int best) {
        for (int token = 0; token < VOCABULARY; token++) {
            logits[offset + token] = (mix(value, token) >>> 40) * 0x1p-22f;
        }
        logits[offset + best] = 5;
    }

    private void compute(int layer, SequenceChunk chunk, long[] values, int firstColumn) {
        long[] cache = slots[layer];
        int begin = chunk.slots().begin();
        long seen = 0;
        for (int position = 0; position < chunk.firstPosition(); position++) {
            seen = mix(seen, cache[begin + position]);
        }
        long state = rows[layer][chunk.readRow()];
        for (int i = 0; i < chunk.tokens().length; i++) {
            long in = values[firstColumn + i];
            int position = chunk.firstPosition() + i;
            cache[begin + position] = mix(in, position);
            seen = mix(seen, cache[begin + position]);
            state = keepsState ? mix(state, in) : 0;
            values[firstColumn + i] = mix(mix(in, seen), state);
        }
        rows[layer][chunk.writeRow()] = state;
    }

    private static long[] tokens(Batch batch) {
        return batch.chunks().stream()
                .flatMapToInt(chunk -> Arrays.stream(chunk.tokens()))
                .mapToLong(token -> mix(token, 1))
                .toArray();
    }

    private static LayerActivations write(long[] values) {
        float[] out = new float[PARTS * values.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = values[i / PARTS] >>> (i % PARTS * PART_BITS) & (1 << PART_BITS) - 1;
        }
        return new HostActivations(out, values.length);
    }

    private static long[] read(LayerActivations boundary, int tokens) {
        float[] in = boundary.values();
        long[] values = new long[tokens];
        for (int i = 0; i < PARTS * tokens; i++) {
            values[i / PARTS] |= (long) in[i] << (i % PARTS * PART_BITS);
        }
        return values;
    }
}
