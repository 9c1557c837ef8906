/**
 * Sends many mixed requests to a server and compares each complete answer with that of a plain one.
 * Start with {@link dev.varve.bench.reliability.ReliabilityRun}.
 */
package dev.varve.bench.reliability;
