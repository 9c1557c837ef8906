/**
 * What sequences have computed and where it lies in the caches of the shards: spans of KV slots,
 * recurrent state rows, checkpoints, and finished sequences that stay for requests that begin like
 * them. {@link dev.varve.platform.sequence.KvCacheManager} alone changes a {@link
 * dev.varve.platform.sequence.CachedSequence}; all others read it.
 *
 * <p>Knows the contract of a shard and nothing of requests, queues and threads.
 */
package dev.varve.platform.sequence;
