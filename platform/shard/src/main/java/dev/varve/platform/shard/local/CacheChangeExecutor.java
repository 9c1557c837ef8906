package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.StateCommit;

import java.util.Optional;

/**
 * Changes the caches of a shard apart from its batches: commits recurrent states of drafted chunks,
 * copies K and V rows, and moves pages between device and host. For the thread that holds the
 * device.
 */
final class CacheChangeExecutor implements AutoCloseable {
    private final ComputeDevice device;
    private final ShardCaches caches;
    private final Optional<PageKeys> pageKeys;
    private final CommitGraphs commits;

    CacheChangeExecutor(ComputeDevice device, ShardGraphContext context) {
        this.device = device;
        caches = context.caches();
        pageKeys = context.pageKeys();
        commits = new CommitGraphs(device.bufferType(), caches, context.arithmetic().recurrent());
    }

    /** Bytes of the memory for computing commits. */
    long bytes() {
        return commits.bytes();
    }

    /** Makes changes, whose slots and rows are checked already. */
    void make(CacheChanges changes) {
        for (StateCommit commit : changes.commits()) {
            if (!caches.rollbackBuffer().isEmpty()) {
                caches.rollbackBuffer().gather(commit.rollbackBuffer(), commit.path());
                commits.find(CommitGraph.Key.of(commit)).compute(device);
            }
            caches.windows().commit(commit);
        }
        for (KvRowOperation move : changes.moves()) {
            make(move);
        }
    }

    private void make(KvRowOperation move) {
        HostPages pages = caches.pages();
        switch (move) {
            case KvSlotCopy copy -> caches.kvPool().move(copy.from(), copy.to(), copy.count());
            case PageMove page -> {
                pages.move(page);
                if (page.direction() == PageMove.Direction.OUT) {
                    pageKeys.ifPresent(keys -> keys.load(page.page()));
                }
            }
            case HostPageFree page -> {
                pages.drop(page.page());
                pageKeys.ifPresent(keys -> keys.remove(page.page()));
            }
        }
    }

    @Override
    public void close() {
        commits.close();
    }
}
