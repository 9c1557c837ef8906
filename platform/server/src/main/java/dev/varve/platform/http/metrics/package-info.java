/**
 * The contents of {@code /metrics}. {@link dev.varve.platform.http.metrics.Metrics} counts
 * requests; the counts of the engine and its shards are read from their status for each scrape. The
 * Prometheus client library keeps the counters and writes the text. {@link
 * dev.varve.platform.http.metrics.OrcaLoadReport} reports the load in a response header.
 */
package dev.varve.platform.http.metrics;
