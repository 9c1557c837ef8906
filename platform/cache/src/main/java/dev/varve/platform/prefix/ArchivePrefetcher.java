package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.SharedArchive;

import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * Reads prefixes that a search has found in an archive into host memory. Only the engine's thread
 * calls it; reader threads read.
 */
final class ArchivePrefetcher implements AutoCloseable {
    private static final int READERS = 3;

    private final HostPrefixTree tree;
    private final StorePrefetchAllocator reservation;
    private final CacheSource source;
    private final ExecutorService readers;
    private final Runnable wakeUp;

    /**
     * A prompt whose prefix is read.
     *
     * @param isAwaited whether the request is still queued
     */
    record Target(CacheScope scope, int[] tokens, BooleanSupplier isAwaited) {}

    /**
     * @param readerName name of the reader threads
     * @param wakeUp called by reader threads when the reads of a prefix have ended
     */
    ArchivePrefetcher(
            HostPrefixTree tree,
            CacheLayout layout,
            CacheSource source,
            String readerName,
            Runnable wakeUp) {
        this.tree = tree;
        this.source = source;
        this.wakeUp = wakeUp;
        reservation = new StorePrefetchAllocator(tree, layout);
        readers =
                Executors.newFixedThreadPool(
                        READERS, Thread.ofPlatform().name(readerName, 0).daemon(true).factory());
    }

    StorePrefetchAllocator reservation() {
        return reservation;
    }

    /**
     * Starts to read a prefix.
     *
     * @param deadline value of {@link System#nanoTime}
     * @return empty if there is no room for it, or host memory has it by now
     */
    Optional<StorePrefetch> begin(
            SharedArchive archive, SharedSearch.Result found, Target target, long deadline) {
        StorePrefetch load = new StorePrefetch(tree, source, target.isAwaited());
        if (!reservation.reserve(load, target.scope(), target.tokens(), found.prefix())
                || load.isEmpty()) {
            load.giveUp();
            return Optional.empty();
        }
        load.start(
                (key, to) -> archive.read(found.heads().get(key), to, deadline), readers, wakeUp);
        return Optional.of(load);
    }

    @Override
    public void close() {
        readers.close();
    }
}
