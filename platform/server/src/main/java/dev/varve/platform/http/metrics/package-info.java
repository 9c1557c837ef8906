/**
 * What {@code /metrics} says. {@link dev.varve.platform.http.metrics.Metrics} counts what the
 * server sees of requests; what the engine and its shards count is taken from their status when
 * somebody asks. The Prometheus client keeps the counters and writes the text. {@link
 * dev.varve.platform.http.metrics.OrcaLoadReport} tells the same load in an answer's header.
 */
package dev.varve.platform.http.metrics;
