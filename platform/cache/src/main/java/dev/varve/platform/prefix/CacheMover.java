package dev.varve.platform.prefix;

import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;

import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Copies parts of sequences out of the caches of all shards and into them, in the order of the
 * calls and of the batches in between.
 */
public interface CacheMover {
    /** Changes the caches on the devices, as a batch would. */
    CompletableFuture<Void> change(CacheChanges changes);

    /** Copies parts out, in the state after all earlier calls. */
    CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target);

    /** Copies parts in, before all later calls. */
    CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source);
}
