package dev.varve.platform.shard;

import java.util.List;
import java.util.Optional;

/**
 * What a shard computed.
 *
 * @param logits {@code F32 [vocabularySize, rows]}, row after row; the shard's own buffer, valid
 *     until its next forward with outputs. A row of a slice that asked for ids alone is undefined.
 *     Empty where the range does not end the model
 * @param best per row, the most likely token of a slice that asked for ids, see {@link
 *     OutputRows#isBest}, the lowest id on ties; -1 where a logit is not a number
 * @param rows number of rows
 * @param boundary activation for the next shard, unless the range ends the model
 * @param features what the batch's captures asked for and this shard computed, ascending
 * @param scores what the batch's queries asked for, of the layers of this shard in ascending order
 */
public record ShardResult(
        float[] logits,
        int[] best,
        int rows,
        Optional<LayerActivations> boundary,
        List<CapturedFeature> features,
        List<PageScores> scores) {
    /** The result of a batch that asks for no pages. */
    public ShardResult(
            float[] logits,
            int[] best,
            int rows,
            Optional<LayerActivations> boundary,
            List<CapturedFeature> features) {
        this(logits, best, rows, boundary, features, List.of());
    }

    /** The answers to a query, in the order of layers. */
    public List<PageScores> scoresOf(int query) {
        return scores.stream().filter(each -> each.query() == query).toList();
    }
}
