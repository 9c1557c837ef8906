package dev.varve.platform.http.trace;

/**
 * What became of traces since the server started.
 *
 * @param exported those that a collector took
 * @param dropped those for which there was no room, since others waited
 * @param failed those that no collector took
 */
public record TraceCounts(long exported, long dropped, long failed) {}
