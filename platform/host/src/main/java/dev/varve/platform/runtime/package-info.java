/**
 * Puts a model file, its family and a device together: plans the memory, loads the shards, starts
 * the engine.
 */
package dev.varve.platform.runtime;
