/**
 * The engine: admits requests, decodes several sequences together and reports tokens. It works on
 * token ids; text belongs to its callers.
 *
 * <p>Start with {@link dev.varve.platform.engine.Engine}; {@link
 * dev.varve.platform.engine.Scheduler} is its implementation. Package {@code
 * dev.varve.platform.sequence} manages the sequences in the caches; a {@link
 * dev.varve.platform.engine.ShardPipeline} sends batches through the shards.
 */
package dev.varve.platform.engine;
