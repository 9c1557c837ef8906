/**
 * Simulates a fleet of replicas over simulated time: the engine's own routing, chunks and step
 * limits, and a cost model in place of a device. Discrete events, one thread, deterministic by
 * seed.
 */
package dev.varve.fleet;
