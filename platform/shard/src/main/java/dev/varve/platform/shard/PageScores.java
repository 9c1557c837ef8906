package dev.varve.platform.shard;

/**
 * How much the queries of a layer look for the pages of a {@link PageQuery}: see {@link
 * dev.varve.platform.paging.KeyBounds}.
 *
 * @param query the query's place in the batch
 * @param layer whose queries they are
 * @param values one per page, in the order of the query; {@link
 *     dev.varve.platform.paging.KeyBounds#UNKNOWN} where a page's keys are no numbers; not to be
 *     modified
 */
public record PageScores(int query, int layer, float[] values) {}
