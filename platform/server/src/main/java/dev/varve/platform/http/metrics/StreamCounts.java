package dev.varve.platform.http.metrics;

/**
 * Counts of resumable streams.
 *
 * @param stored streams that are currently stored
 * @param bytes bytes of their events
 * @param abandoned streams that were cancelled so far because no client read them
 */
public record StreamCounts(int stored, long bytes, long abandoned) {}
