package dev.varve.platform.http.metrics;

/**
 * Counts of resumable streams.
 *
 * @param kept streams that are currently stored
 * @param bytes bytes of their events
 * @param abandoned streams that were cancelled so far because no client read them
 */
public record StreamCounts(int kept, long bytes, long abandoned) {}
