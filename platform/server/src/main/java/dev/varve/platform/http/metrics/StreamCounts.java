package dev.varve.platform.http.metrics;

/**
 * What is kept of streams.
 *
 * @param kept streams at the moment
 * @param bytes of their events
 * @param abandoned streams that were cancelled since nobody read them, so far
 */
public record StreamCounts(int kept, long bytes, long abandoned) {}
