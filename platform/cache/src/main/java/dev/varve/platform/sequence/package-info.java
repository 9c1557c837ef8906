/**
 * Computed sequences and their place in the caches of the shards: spans of KV slots, recurrent
 * state rows, checkpoints, and finished sequences that stay for requests that begin like them. Only
 * {@link dev.varve.platform.sequence.KvCacheManager} changes a {@link
 * dev.varve.platform.sequence.SequenceCache}; other classes read it.
 *
 * <p>This package knows the contract of a shard, but no requests, queues or threads.
 */
package dev.varve.platform.sequence;
