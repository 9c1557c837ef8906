package dev.varve.platform.shard;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Result of a batch on one shard.
 *
 * @param logits {@code F32 [vocabularySize, rows]}, row after row; the shard's own buffer, valid
 *     until its next forward with outputs, or as {@link Shard#keepLogits} says. A row of a chunk
 *     that requested only ids is undefined. Empty if the range does not end the model
 * @param best per row, the most likely token of a chunk that requested ids, see {@link
 *     RequestedOutput#isBest}, the lowest id on ties; -1 if a logit is NaN
 * @param rows number of rows
 * @param boundary activation for the next shard, unless the range ends the model
 * @param features the batch's captures of this shard's layers, ascending
 * @param top by row, the best tokens of chunks that requested them, see {@link
 *     RequestedOutput#isTop}; other rows of these chunks have logits
 * @param scores results of the batch's page queries, for the layers of this shard in ascending
 *     order
 */
public record ShardResult(
        float[] logits,
        int[] best,
        int rows,
        Optional<LayerActivations> boundary,
        List<CapturedFeature> features,
        Map<Integer, TopTokens> top,
        List<PageScores> scores) {
    /** Creates the result of a batch without best tokens of rows. */
    public ShardResult(
            float[] logits,
            int[] best,
            int rows,
            Optional<LayerActivations> boundary,
            List<CapturedFeature> features,
            List<PageScores> scores) {
        this(logits, best, rows, boundary, features, Map.of(), scores);
    }

    /** Creates the result of a batch without page queries. */
    public ShardResult(
            float[] logits,
            int[] best,
            int rows,
            Optional<LayerActivations> boundary,
            List<CapturedFeature> features) {
        this(logits, best, rows, boundary, features, List.of());
    }

    /** Page scores of one query, in the order of layers. */
    public List<PageScores> scoresOf(int query) {
        return scores.stream().filter(each -> each.query() == query).toList();
    }
}
