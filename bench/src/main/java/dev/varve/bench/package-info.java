/**
 * Benchmarks against libllama: same file, threads and cache types, interleaved in one run, shown as
 * ratios.
 */
package dev.varve.bench;
