package dev.varve.platform.remote;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A random walk through what an engine may ask of shards: sequences that begin, go on in chunks and
 * single tokens, alone and together, fork, and want all kinds of outputs and captures.
 */
final class BatchWalk {
    private static final int SEQUENCES = 3;

    private final SplittableRandom random;
    private final int vocabulary;
    private final int layers;
    private final int[] lengths = new int[SEQUENCES];
    private long steps;

    BatchWalk(long seed, int vocabulary, int layers) {
        random = new SplittableRandom(seed);
        this.vocabulary = vocabulary;
        this.layers = layers;
    }

    private static KvSlotSpan span(int sequence) {
        return new KvSlotSpan(sequence * KvSlotSpan.BLOCK, KvSlotSpan.BLOCK);
    }

    /** The next batch, which the shards are to compute. */
    Batch next() {
        steps++;
        List<KvSlotCopy> copies = new ArrayList<>();
        List<SequenceChunk> chunks = new ArrayList<>();
        int forked = random.nextInt(6) == 0 ? random.nextInt(SEQUENCES) : SEQUENCES;
        if (forked < SEQUENCES && lengths[forked] > 0) {
            int target = (forked + 1) % SEQUENCES;
            copies.add(new KvSlotCopy(span(forked).begin(), span(target).begin(), lengths[forked]));
            lengths[target] = lengths[forked];
            chunks.add(chunk(target, forked + 1));
        }
        for (int sequence = 0; sequence < SEQUENCES; sequence++) {
            boolean busy = sequence == forked || sequence == (forked + 1) % SEQUENCES;
            if (copies.isEmpty() ? random.nextBoolean() : !busy) {
                chunks.add(chunk(sequence, sequence + 1));
            }
        }
        if (chunks.isEmpty()) {
            chunks.add(chunk(0, 1));
        }
        List<Integer> captures = new ArrayList<>();
        for (int layer = 0; layer <= layers; layer++) {
            if (random.nextInt(4) == 0) {
                captures.add(layer);
            }
        }
        Phase phase = random.nextBoolean() ? Phase.PREFILL : Phase.DECODE;
        return new Batch(CacheChanges.copies(copies), chunks, phase, captures);
    }

    private SequenceChunk chunk(int sequence, int readRow) {
        int count = random.nextBoolean() ? 1 : random.nextInt(2, 9);
        if (lengths[sequence] + count > KvSlotSpan.BLOCK || random.nextInt(12) == 0) {
            lengths[sequence] = 0;
        }
        int first = lengths[sequence];
        lengths[sequence] += count;
        RequestedOutput[] outputs = RequestedOutput.values();
        ChunkComputeMode[] kinds = ChunkComputeMode.values();
        return new SequenceChunk(
                sequence,
                random.ints(count, 0, vocabulary).toArray(),
                new ChunkPlacement(
                        first,
                        span(sequence),
                        first == 0 ? SequenceChunk.ZERO_ROW : readRow,
                        sequence + 1),
                outputs[random.nextInt(outputs.length)],
                kinds[random.nextInt(kinds.length)]);
    }

    @Override
    public String toString() {
        return "step " + steps;
    }
}
