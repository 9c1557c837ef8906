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
 */
public record ShardResult(
        float[] logits,
        int[] best,
        int rows,
        Optional<Boundary> boundary,
        List<Feature> features) {}
