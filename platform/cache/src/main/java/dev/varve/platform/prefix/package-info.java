/**
 * Prefix cache beyond the sequences on the devices: K and V rows and states of prompt tokens in
 * host memory, indexed by the tokens. A prompt that begins like an earlier one skips that part of
 * its prefill.
 *
 * <p>If a draft model reads hidden states, the cache also keeps the hidden states of sequences,
 * blocks and checkpoints. They are optional: they have their own memory, from which the least
 * recently used pages are evicted.
 *
 * <p>Tokens lie in blocks of {@value CachedBlock#TOKENS} that form one tree per scope; prompts with
 * a common prefix share its blocks. A checkpoint is a position from which a sequence can resume:
 * the states after its tokens, and the rows since the last whole block. This package does not know
 * devices, shards or models: a part is a number of bytes that belongs to a layer.
 *
 * <ul>
 *   <li>{@link PrefixCache}, {@link PrefixLookupResult}, {@link StorageTierOptions}: the cache over
 *       all tiers, as the engine uses it;
 *   <li>{@link HostTier}, {@link HostPrefixTree}, {@link CachedBlock}, {@link Checkpoint}, {@link
 *       HostMemoryPool}: host memory and its index, with {@link EvictionScore};
 *   <li>{@link SnapshotExportTask}, {@link SnapshotImport}, {@link BlockExport}: copies between
 *       host memory and the devices;
 *   <li>{@link DiskTier}, {@link SharedTier}, {@link StorePrefetch}, {@link StoreSaveQueue}: the
 *       stores below host memory;
 *   <li>{@link SequenceFeatures}, {@link FeaturePagePool}, {@link FeaturePage}: hidden states;
 *   <li>{@link CacheEventEmitter}, {@link CacheEventPublisher}: events for routers.
 * </ul>
 *
 * <p>They are one package because copies, loads and saves all fill or read the entries of {@link
 * HostPrefixTree}, and keep them from being evicted meanwhile. One thread, the engine's, changes
 * the tree; public members would let other threads reach it.
 */
package dev.varve.platform.prefix;
