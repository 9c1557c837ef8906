package dev.varve.platform.sequence;

/**
 * Who holds the KV slots.
 *
 * @param total slots of the pool, one for each token
 * @param running slots that running sequences hold
 * @param resident slots that finished sequences hold until their room is needed
 */
public record KvSlotUsage(long total, long running, long resident) {}
