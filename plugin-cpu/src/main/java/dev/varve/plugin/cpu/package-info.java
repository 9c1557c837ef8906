/**
 * The CPU backend: unpacks the ggml libraries, counts cores and memory within the cgroup's limits,
 * computes.
 */
package dev.varve.plugin.cpu;
