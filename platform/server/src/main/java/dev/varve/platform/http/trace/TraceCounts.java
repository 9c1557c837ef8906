package dev.varve.platform.http.trace;

/**
 * Counts of traces since the server started.
 *
 * @param exported traces that a collector accepted
 * @param dropped traces that were dropped because the queue was full
 * @param failed traces that could not be sent
 */
public record TraceCounts(long exported, long dropped, long failed) {}
