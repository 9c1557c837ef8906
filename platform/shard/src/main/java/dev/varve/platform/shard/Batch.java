package dev.varve.platform.shard;

import dev.varve.api.backend.ComputeDevice.Phase;

import java.util.List;
import java.util.Objects;

/**
 * One step of all shards: tokens of one or several sequences. Every shard of a model gets the same
 * batch. The batch carries the changes to the caches, so that every shard applies them at the same
 * place in the order of batches, however far the shards are apart.
 *
 * <p>A sequence has one chunk, or two in succession: the second one then reads the state row that
 * the first one writes, and may write the one that the first one reads. A model with sliding
 * windows does not support that.
 *
 * @param changes to the caches before the chunks are computed
 * @param chunks in the order of the tokens' columns, which is the order of their computation
 * @param phase selects the thread count of the device
 * @param captures layers whose input is requested, ascending, a subset of those that the shards
 *     were loaded with; the layer count means the last layer's output. The shard that computes a
 *     captured layer returns its values, before anything is rounded for the transfer. If the last
 *     layer's output is captured, that layer computes all columns, which may change the last bits
 *     of logits that were requested for some columns only
 * @param queries requests for page scores: how strongly chunks attend to pages of their sequences
 * @param topCheck decides for which rows {@link TopTokens} suffice; shards in other processes do
 *     not know it, and return logits
 */
public record Batch(
        CacheChanges changes,
        List<SequenceChunk> chunks,
        Phase phase,
        List<Integer> captures,
        List<PageQuery> queries,
        TopCheck topCheck) {
    /** Checks that there is something to compute. */
    public Batch {
        Objects.requireNonNull(changes);
        chunks = List.copyOf(chunks);
        captures = List.copyOf(captures);
        queries = List.copyOf(queries);
        Objects.requireNonNull(topCheck);
        if (chunks.isEmpty()) {
            throw new IllegalArgumentException("a batch needs at least one chunk");
        }
        for (PageQuery query : queries) {
            Objects.checkIndex(query.chunkIndex(), chunks.size());
        }
    }

    /** Creates a batch for which {@link TopTokens} suffice wherever they are requested. */
    public Batch(
            CacheChanges changes,
            List<SequenceChunk> chunks,
            Phase phase,
            List<Integer> captures,
            List<PageQuery> queries) {
        this(changes, chunks, phase, captures, queries, TopCheck.ALWAYS);
    }

    /** Creates a batch without page queries. */
    public Batch(
            CacheChanges changes, List<SequenceChunk> chunks, Phase phase, List<Integer> captures) {
        this(changes, chunks, phase, captures, List.of());
    }

    /** Creates a batch without cache changes and page queries. */
    public Batch(List<SequenceChunk> chunks, Phase phase, List<Integer> captures) {
        this(CacheChanges.NONE, chunks, phase, captures);
    }

    /** Creates a batch without cache changes, captures and page queries. */
    public Batch(List<SequenceChunk> chunks, Phase phase) {
        this(chunks, phase, List.of());
    }

    /** Returns the same batch with another check. */
    public Batch checking(TopCheck other) {
        return new Batch(changes, chunks, phase, captures, queries, other);
    }

    /** Number of tokens of all chunks. */
    public int tokens() {
        int tokens = 0;
        for (SequenceChunk chunk : chunks) {
            tokens += chunk.tokens().length;
        }
        return tokens;
    }

    /** Number of tokens of all chunks that belong to images. */
    public int imageTokens() {
        int tokens = 0;
        for (SequenceChunk chunk : chunks) {
            tokens += chunk.imageTokens();
        }
        return tokens;
    }

    /** Number of rows of logits of all chunks. */
    public int outputs() {
        int outputs = 0;
        for (SequenceChunk chunk : chunks) {
            outputs += chunk.outputCount();
        }
        return outputs;
    }
}
