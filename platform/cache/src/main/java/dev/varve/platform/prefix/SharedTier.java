package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus.Outcome;
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
 * What a store has of prompts that several servers share, brought to host memory before they run,
 * and what comes to host memory, brought to the store. What is slower than computing is given up.
 * Only the engine's thread calls; others search, read and write.
 */
final class SharedTier implements AutoCloseable {
    /** Tokens beyond what is known that are worth asking for. */
    private static final int LEAST_GAIN = TokenBlock.TOKENS;

    private static final int SEARCHERS = 2;
    private static final int READERS = 3;
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    private final PrefixTree tree;
    private final SharedCacheStore shared;
    private final ChainKeys keys;
    private final HostReservation room;
    private final Runnable wakeUp;
    private final PrefillSpeed speed = new PrefillSpeed();
    private final ExecutorService searchers = pool("varve-shared-find", SEARCHERS);
    private final ExecutorService readers = pool("varve-shared-read", READERS);
    private final StoreSaves saves;
    private final List<SharedLoad> loads = new ArrayList<>();

    /**
     * @param wakeUp called by other threads when something was found or read
     */
    SharedTier(PrefixTree tree, CacheLayout layout, SharedCacheStore shared, Runnable wakeUp) {
        this.tree = tree;
        this.shared = shared;
        this.wakeUp = wakeUp;
        keys = new ChainKeys(shared.namespace());
        room = new HostReservation(tree, layout);
        saves =
                new StoreSaves(
                        "varve-shared-write",
                        new StoreSaves.Target(shared.archive(), keys, shared.origin(), false),
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

    /** A step was computed, and another one may follow. */
    void step() {
        saves.step();
    }

    /** A prompt was computed. */
    void computed(int tokens, double millis) {
        speed.saw(tokens, millis);
    }

    /**
     * Begins to look for what a request needs, if the store may have more than is known otherwise.
     *
     * @param known leading tokens that need no computing without the store
     * @param wanted whether the request still waits
     */
    Optional<PrefixLoad> load(CacheRequest request, int known, BooleanSupplier wanted) {
        int gain = request.tokens().size() - known;
        if (request.replay().end() > 0 || gain <= LEAST_GAIN) {
            return Optional.empty();
        }
        if (!archive().answers()) {
            archive().count(Outcome.SKIPPED);
            return Optional.empty();
        }
        int[] tokens = request.searched();
        CacheScope scope = request.scope();
        long deadline = System.nanoTime() + speed.of(gain).toNanos();
        CompletableFuture<SharedLoad.SharedMatch> search =
                CompletableFuture.supplyAsync(
                        () ->
                                search(
                                        new SharedSearch(
                                                archive(), keys, room, scope, tokens, known,
                                                deadline)),
                        searchers);
        SharedLoad load =
                new SharedLoad(search, wanted, found -> begin(found, scope, tokens, known, wanted));
        loads.add(load);
        search.whenComplete((found, failure) -> wakeUp.run());
        return Optional.of(load);
    }

    private SharedLoad.SharedMatch search(SharedSearch search) {
        SharedLoad.SharedMatch found;
        try {
            Optional<SharedSearch.Result> result = search.run();
            found =
                    new SharedLoad.SharedMatch(
                            result.isPresent() ? Outcome.FOUND : Outcome.NOTHING, result);
        } catch (ArchiveMissException e) {
            found = new SharedLoad.SharedMatch(Outcome.FAILED, Optional.empty());
        }
        archive().count(found.outcome());
        return found;
    }

    private Optional<StoreLoad> begin(
            SharedSearch.Result found,
            CacheScope scope,
            int[] tokens,
            int known,
            BooleanSupplier wanted) {
        StoreLoad load = new StoreLoad(tree, CacheSource.SHARED, wanted);
        if (!room.reserve(load, scope, tokens, found.way()) || load.isEmpty()) {
            load.giveUp();
            return Optional.empty();
        }
        long deadline = System.nanoTime() + speed.of(found.way().position() - known).toNanos();
        load.start(
                (key, target) -> archive().read(found.heads().get(key), target, deadline),
                readers,
                wakeUp);
        List<SharedObjectManifest> used = List.copyOf(found.heads().values());
        load.whenRead(() -> saves.then(() -> archive().touch(used)));
        return Optional.of(load);
    }

    /** Has something written that is ready in host memory. */
    void save(CacheScope scope, Checkpoint checkpoint) {
        saves.save(scope, checkpoint);
    }

    /** Takes in what was found and read, and lets go what was written. */
    void poll() {
        loads.forEach(SharedLoad::advance);
        loads.removeIf(SharedLoad::isReleased);
        saves.poll();
    }

    /** Whether something has come that nobody has taken in. */
    boolean hasNews() {
        return loads.stream().anyMatch(SharedLoad::hasNews);
    }

    /** Forgets what is in the store, and what was to go there. */
    CompletableFuture<Void> clear() {
        return saves.dropAnd(archive()::clear);
    }

    /** Writes what waits, for a while, and leaves the store. */
    @Override
    public void close() {
        saves.close();
        archive().close();
        searchers.close();
        readers.close();
    }
}
