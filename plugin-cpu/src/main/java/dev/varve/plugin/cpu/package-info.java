/**
 * The CPU backend: unpacks the ggml libraries, counts cores and memory as the cgroup grants them,
 * computes.
 */
package dev.varve.plugin.cpu;
