package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus.SearchOutcome;
import dev.varve.platform.store.SharedObjectManifest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * Shared tier of the prefix cache: loads prefixes from a store that several servers share into host
 * memory before their requests run, and saves new checkpoints of host memory to it. A load that
 * takes longer than prefill is given up. Only the engine's thread calls it; other threads search,
 * read and write.
 */
final class SharedTier implements AutoCloseable {
    /** Minimum tokens beyond the known ones that are worth a search. */
    private static final int LEAST_GAIN = CachedBlock.TOKENS;

    private static final int SEARCHERS = 2;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final SharedTierOptions shared;
    private final ChainKeys keys;
    private final ArchivePrefetcher prefetcher;
    private final Runnable wakeUp;
    private final PrefillSpeed speed = new PrefillSpeed();
    private final ExecutorService searchers = pool("varve-shared-find", SEARCHERS);
    private final StoreSaveQueue saves;
    private final List<SharedPrefetch> loads = new ArrayList<>();

    /**
     * @param wakeUp called by other threads when a search or a read has ended
     */
    SharedTier(HostPrefixTree tree, CacheLayout layout, SharedTierOptions shared, Runnable wakeUp) {
        this.shared = shared;
        this.wakeUp = wakeUp;
        keys = new ChainKeys(shared.namespace());
        prefetcher =
                new ArchivePrefetcher(
                        tree, layout, CacheSource.SHARED, "varve-shared-read", wakeUp);
        saves =
                new StoreSaveQueue(
                        "varve-shared-write",
                        new StoreSaveQueue.Target(shared.archive(), keys, shared.origin(), false),
                        tree.memory().limit(),
                        CLOSE_LIMIT);
    }

    private static ExecutorService pool(String name, int threads) {
        return Executors.newFixedThreadPool(
                threads, Thread.ofPlatform().name(name, 0).daemon(true).factory());
    }

    private SharedArchive archive() {
        return shared.archive();
    }

    SharedArchiveStatus status() {
        return archive().status();
    }

    /** Notes that a step was computed, and that another one may follow. */
    void step() {
        if (!shared.isUrgent()) {
            saves.step();
        }
    }

    /** Completes once all writes that are pending now have ended. */
    CompletableFuture<Void> saved() {
        return saves.then(() -> {});
    }

    /** Records the prefill time of a prompt. */
    void computed(int tokens, double millis) {
        speed.record(tokens, millis);
    }

    /**
     * Starts a search for the prefix of a request, if the store may have more of it than the other
     * tiers.
     *
     * @param known leading tokens that are cached without the store
     * @param isAwaited whether the request is still queued
     */
    Optional<PrefixPrefetch> load(PrefixQuery request, int known, BooleanSupplier isAwaited) {
        int gain = request.tokens().size() - known;
        if (request.replay().end() > 0 || gain <= LEAST_GAIN) {
            return Optional.empty();
        }
        if (!archive().isAvailable()) {
            archive().count(SearchOutcome.SKIPPED);
            return Optional.empty();
        }
        int[] tokens = request.searched();
        CacheScope scope = request.scope();
        long deadline = System.nanoTime() + speed.of(gain).toNanos();
        CompletableFuture<SharedPrefetch.SharedLookupResult> search =
                CompletableFuture.supplyAsync(
                        () ->
                                search(
                                        new SharedSearch(
                                                archive(),
                                                keys,
                                                prefetcher.reservation(),
                                                scope,
                                                tokens,
                                                known,
                                                deadline)),
                        searchers);
        SharedPrefetch load =
                new SharedPrefetch(
                        search, isAwaited, found -> begin(found, scope, tokens, known, isAwaited));
        loads.add(load);
        search.whenComplete((found, failure) -> wakeUp.run());
        return Optional.of(load);
    }

    private SharedPrefetch.SharedLookupResult search(SharedSearch search) {
        SharedPrefetch.SharedLookupResult found;
        try {
            Optional<SharedSearch.Result> result = search.run();
            found =
                    new SharedPrefetch.SharedLookupResult(
                            result.isPresent() ? SearchOutcome.FOUND : SearchOutcome.NOTHING,
                            result);
        } catch (ArchiveMissException e) {
            found = new SharedPrefetch.SharedLookupResult(SearchOutcome.FAILED, Optional.empty());
        }
        archive().count(found.outcome());
        return found;
    }

    private Optional<StorePrefetch> begin(
            SharedSearch.Result found,
            CacheScope scope,
            int[] tokens,
            int known,
            BooleanSupplier isAwaited) {
        long deadline = System.nanoTime() + speed.of(found.prefix().position() - known).toNanos();
        Optional<StorePrefetch> load =
                prefetcher.begin(
                        archive(),
                        found,
                        new ArchivePrefetcher.Target(scope, tokens, isAwaited),
                        deadline);
        List<SharedObjectManifest> used = List.copyOf(found.heads().values());
        load.ifPresent(each -> each.whenRead(() -> saves.then(() -> archive().touch(used))));
        return load;
    }

    /** Schedules the write of a checkpoint that is ready in host memory. */
    void save(CacheScope scope, Checkpoint checkpoint) {
        saves.save(scope, checkpoint);
    }

    /** Processes ended searches and loads, and unpins ended saves. */
    void poll() {
        loads.forEach(SharedPrefetch::advance);
        loads.removeIf(SharedPrefetch::isReleased);
        saves.poll();
    }

    /** Whether a search or a load has ended that is not processed yet. */
    boolean hasEndedLoad() {
        return loads.stream().anyMatch(SharedPrefetch::hasEndedLoad);
    }

    /** Clears the store, and cancels pending writes. */
    CompletableFuture<Void> clear() {
        return saves.dropAnd(archive()::clear);
    }

    /** Writes pending saves, for a limited time, and closes the archive. */
    @Override
    public void close() {
        saves.close();
        archive().close();
        searchers.close();
        prefetcher.close();
    }
}
