/**
 * Compares the fleet simulator with running servers: measures the durations of their steps, sends
 * them a workload, and simulates the same workload.
 */
package dev.varve.bench.fleet;
