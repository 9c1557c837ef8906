package dev.varve.platform.prefix;

import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Copies parts in the order of all changes: it applies the pending changes of the devices first, so
 * that every sequence is in its current slots. Counts the bytes under way.
 */
final class FlushingCacheMover {
    private final KvCacheManager devices;
    private final CacheMover mover;
    private final AtomicLong bytesInTransit = new AtomicLong();
    private final List<CompletableFuture<Void>> changes = new ArrayList<>();

    FlushingCacheMover(KvCacheManager devices, CacheMover mover) {
        this.devices = devices;
        this.mover = mover;
    }

    long bytesInTransit() {
        return bytesInTransit.get();
    }

    CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        return metered(parts, () -> mover.export(parts, target));
    }

    CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        return metered(parts, () -> mover.adopt(parts, source));
    }

    private CompletableFuture<Void> metered(
            List<CachePart> parts, Supplier<CompletableFuture<Void>> move) {
        CacheChanges pending = devices.takeChanges();
        if (!pending.isEmpty()) {
            changes.add(mover.change(pending));
        }
        long bytes = parts.stream().mapToLong(CachePart::bytes).sum();
        bytesInTransit.addAndGet(bytes);
        return move.get().whenComplete((done, failure) -> bytesInTransit.addAndGet(-bytes));
    }

    /**
     * Checks that all changes on the devices succeeded.
     *
     * @throws RuntimeException the failure of a change: the content of the devices is unknown
     */
    void requireSound() {
        changes.removeIf(change -> change.isDone() && !change.isCompletedExceptionally());
        for (CompletableFuture<Void> change : changes) {
            if (change.isCompletedExceptionally()) {
                changes.clear();
                throw change.exceptionNow() instanceof RuntimeException failure
                        ? failure
                        : new CompletionException(change.exceptionNow());
            }
        }
    }

    /** Forgets the changes under way. */
    void clear() {
        changes.clear();
    }
}
