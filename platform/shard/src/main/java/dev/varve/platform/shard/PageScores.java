package dev.varve.platform.shard;

/**
 * Scores of the pages of a {@link PageQuery} for the queries of one layer: see {@link KeyBounds}.
 *
 * @param query index of the query in the batch
 * @param layer of the queries
 * @param values one per page, in the order of the query; {@link KeyBounds#UNKNOWN} if a page's keys
 *     are not finite; not to be modified
 */
public record PageScores(int query, int layer, float[] values) {}
