package dev.varve.platform.sequence;

/**
 * Usage of the KV slots.
 *
 * @param total slots of the pool, one for each token
 * @param running slots of running sequences
 * @param resident slots of finished sequences, which are evicted if their room is needed
 */
public record KvSlotUsage(long total, long running, long resident) {}
