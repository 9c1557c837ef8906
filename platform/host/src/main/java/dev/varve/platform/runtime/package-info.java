/**
 * Combines a model file, its family and a device: plans the memory, loads the shards, starts the
 * engine.
 */
package dev.varve.platform.runtime;
