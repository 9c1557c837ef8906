package dev.varve.platform.sequence;

/**
 * Sizes of the caches that sequences share.
 *
 * @param slots KV slots, whole blocks
 * @param stateRows recurrent state rows, the zero row included
 */
public record CacheCapacity(int slots, int stateRows) {}
