package dev.varve.platform.shard;

import dev.varve.api.backend.ComputeDevice.Phase;

import java.util.List;
import java.util.Objects;

/**
 * One step of all shards: tokens of one or several sequences, each at most once. Every shard of a
 * model gets the same batch. What changes the caches travels in it, so that it happens at its place
 * among the batches in every shard, however far they are apart.
 *
 * @param changes to the caches before the slices are computed
 * @param slices in the order of the tokens' columns
 * @param phase which thread count the device uses
 * @param captures layers whose input is wanted, ascending, of those that the shards were loaded
 *     with; the layer count stands for the last layer's output. The shard answers that computes it,
 *     before anything is rounded for the way. With the last layer's output that layer computes all
 *     columns, which may change the last bits of logits that only some of them have
 * @param queries asks how much slices look for pages of their sequences
 */
public record Batch(
        CacheChanges changes,
        List<SequenceChunk> slices,
        Phase phase,
        List<Integer> captures,
        List<PageQuery> queries) {
    /** Checks that there is something to compute. */
    public Batch {
        Objects.requireNonNull(changes);
        slices = List.copyOf(slices);
        captures = List.copyOf(captures);
        queries = List.copyOf(queries);
        if (slices.isEmpty()) {
            throw new IllegalArgumentException("a batch needs at least one slice");
        }
        for (PageQuery query : queries) {
            Objects.checkIndex(query.slice(), slices.size());
        }
    }

    /** A batch that asks for no pages. */
    public Batch(
            CacheChanges changes, List<SequenceChunk> slices, Phase phase, List<Integer> captures) {
        this(changes, slices, phase, captures, List.of());
    }

    /** A batch that changes nothing first. */
    public Batch(List<SequenceChunk> slices, Phase phase, List<Integer> captures) {
        this(CacheChanges.NONE, slices, phase, captures);
    }

    /** A batch that changes nothing first, without captures. */
    public Batch(List<SequenceChunk> slices, Phase phase) {
        this(slices, phase, List.of());
    }

    /** Tokens of all slices. */
    public int tokens() {
        int tokens = 0;
        for (SequenceChunk slice : slices) {
            tokens += slice.tokens().length;
        }
        return tokens;
    }

    /** Rows of logits of all slices, in their order. */
    public int outputs() {
        int outputs = 0;
        for (SequenceChunk slice : slices) {
            outputs += slice.outputCount();
        }
        return outputs;
    }
}
