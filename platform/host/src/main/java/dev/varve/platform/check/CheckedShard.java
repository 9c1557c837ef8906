package dev.varve.platform.check;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.local.LocalShard;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * A whole model on one device without an engine, with several sequences of up to {@value #SPAN}
 * tokens. Owns the shard, not the device.
 */
final class CheckedShard implements AutoCloseable {
    /** Slots of a sequence. */
    static final int SPAN = 512;

    private final LocalShard shard;
    private final OpenedModel model;
    private final CacheLayout layout;
    private final int sequences;

    /** A step of a sequence. */
    record Step(int sequence, int[] tokens, int position, boolean keepsState) {
        /** Tokens {@code from} to {@code to} of a text, after those before them. */
        static Step of(int sequence, int[] text, int from, int to) {
            return new Step(sequence, Arrays.copyOfRange(text, from, to), from, true);
        }

        /** The same step, which leaves the sequence's recurrent state as it was. */
        Step repeatable() {
            return new Step(sequence, tokens, position, false);
        }
    }

    private CheckedShard(LocalShard shard, OpenedModel model, CacheLayout layout, int sequences) {
        this.shard = shard;
        this.model = model;
        this.layout = layout;
        this.sequences = sequences;
    }

    /** Loads a model. */
    static CheckedShard load(
            OpenedModel model,
            ComputeDevice device,
            int sequences,
            WeightLayout weights,
            BatchInvariance exact) {
        CacheTypes types = CacheTypes.f16();
        int region =
                CacheUnitBytes.of(model.shape(), model.shape().allLayers(), types, SPAN, SPAN)
                        .regionSlots();
        ShardOptions options =
                ShardOptions.of(
                                types,
                                new CacheCapacities(sequences * SPAN, 1 + 2 * sequences, region))
                        .withWeights(weights)
                        .withExactRows(exact);
        return new CheckedShard(
                LocalShard.load(
                        model.range(model.shape().allLayers()),
                        device,
                        options,
                        LoadProgressListener.silent()),
                model,
                CacheLayout.of(model.shape(), model.shape().allLayers(), types, region),
                sequences);
    }

    /** Random tokens. */
    int[] tokens(int count, long seed) {
        // The last ids are often control tokens.
        return new Random(seed).ints(count, 0, model.shape().vocabularySize() * 3 / 4).toArray();
    }

    /** Computes the steps of different sequences in one batch; returns the logits of each token. */
    List<float[]> run(Phase phase, Step... steps) {
        List<SequenceChunk> chunks = new ArrayList<>();
        for (Step step : steps) {
            int row = 1 + step.sequence();
            chunks.add(
                    new SequenceChunk(
                            step.sequence(),
                            step.tokens(),
                            new ChunkPlacement(
                                    step.position(),
                                    span(step.sequence()),
                                    step.position() == 0 ? SequenceChunk.ZERO_ROW : row,
                                    step.keepsState() ? row : row + sequences),
                            RequestedOutput.ALL));
        }
        ShardResult result = join(shard.forward(new Batch(chunks, phase), Optional.empty()));
        int vocabulary = model.shape().vocabularySize();
        List<float[]> rows = new ArrayList<>();
        for (int row = 0; row < result.rows(); row++) {
            rows.add(Arrays.copyOfRange(result.logits(), row * vocabulary, (row + 1) * vocabulary));
        }
        return rows;
    }

    private static KvSlotSpan span(int sequence) {
        return new KvSlotSpan(sequence * SPAN, SPAN);
    }

    private List<CachePart> parts(int sequence, int position) {
        List<CachePart> parts = new ArrayList<>(layout.rows(span(sequence), 0, position));
        parts.addAll(layout.states(1 + sequence, position));
        return parts;
    }

    /** Returns the cached data of a sequence up to a position. */
    List<byte[]> export(int sequence, int position) {
        List<CachePart> parts = parts(sequence, position);
        KeptParts kept = new KeptParts(new byte[parts.size()][]);
        join(shard.export(parts, kept));
        return Arrays.asList(kept.bytes);
    }

    /** Replaces the cached data of a sequence. */
    void adopt(int sequence, int position, List<byte[]> snapshot) {
        join(
                shard.adopt(
                        parts(sequence, position), new KeptParts(snapshot.toArray(byte[][]::new))));
    }

    private record KeptParts(byte[][] bytes) implements CachePartCallback {
        @Override
        public void accept(int index, ByteBuffer source) {
            bytes[index] = new byte[source.remaining()];
            source.get(bytes[index]);
        }

        @Override
        public void give(int index, ByteBuffer target) {
            target.put(bytes[index]);
        }
    }

    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof VarveException failure ? failure : e;
        }
    }

    @Override
    public void close() {
        shard.close();
    }
}
