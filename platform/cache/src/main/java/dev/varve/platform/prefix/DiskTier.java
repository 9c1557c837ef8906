package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.StoredObject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * What a store has of prompts, brought to host memory before they run, and what comes to host
 * memory, brought to the store. Only the engine's thread calls; others read and write.
 */
final class DiskTier implements AutoCloseable {
    /** Tokens beyond what is known that are worth reading. */
    private static final int LEAST_GAIN = 32;

    private static final int READERS = 2;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);

    private final PrefixTree tree;
    private final CacheLayout layout;
    private final Optional<FeatureMemory> features;
    private final DiskCacheStore disk;
    private final ChainKeys keys;
    private final HostReservation room;
    private final Runnable wakeUp;
    private final ExecutorService readers =
            Executors.newFixedThreadPool(
                    READERS,
                    Thread.ofPlatform().name("varve-store-read", 0).daemon(true).factory());
    private final StoreSaves saves;
    private final List<StoreLoad> loads = new ArrayList<>();

    /**
     * @param features host memory for hidden states, if they are wanted
     * @param wakeUp called by other threads when something was read
     */
    DiskTier(
            PrefixTree tree,
            CacheLayout layout,
            Optional<FeatureMemory> features,
            DiskCacheStore disk,
            Runnable wakeUp) {
        this.features = features;
        this.tree = tree;
        this.layout = layout;
        this.disk = disk;
        this.wakeUp = wakeUp;
        keys = new ChainKeys(disk.namespace());
        room = new HostReservation(tree, layout);
        saves =
                new StoreSaves(
                        "varve-store-write",
                        new StoreSaves.Target(disk.archive(), keys, disk.origin(), true),
                        tree.memory().limit(),
                        CLOSE_LIMIT);
    }

    ArchiveStatus status() {
        return disk.archive().status();
    }

    /** A step was computed, and another one may follow. */
    void step() {
        saves.step();
    }

    /**
     * Begins to read what a request needs, if the store has more than is known otherwise.
     *
     * @param known leading tokens that need no computing without the store
     * @param guesses whether hidden states are of use to it
     * @param wanted whether the request still waits
     */
    Optional<StoreLoad> load(
            CacheRequest request, int known, boolean guesses, BooleanSupplier wanted) {
        if (request.replay().end() > 0) {
            return Optional.empty();
        }
        int[] tokens = request.searched();
        StoredPrefix way = find(request.scope(), tokens);
        if (way.position() < known + LEAST_GAIN) {
            return Optional.empty();
        }
        StoreLoad load = new StoreLoad(tree, CacheSource.DISK, wanted);
        if (!room.reserve(load, request.scope(), tokens, way)) {
            load.giveUp();
            return Optional.empty();
        }
        features.filter(memory -> guesses)
                .ifPresent(
                        memory ->
                                addFeatures(
                                        load, memory, request.scope(), load.found(way.position())));
        way.end().ifPresent(found -> disk.archive().use(found.key()));
        return Optional.of(start(load));
    }

    private StoreLoad start(StoreLoad load) {
        loads.add(load);
        load.start(disk.archive(), readers, wakeUp);
        return load;
    }

    /**
     * Begins to read hidden states that had to give way in host memory.
     *
     * @param known position before which they are; what else is needed there is in host memory
     * @param wanted whether the request still waits
     */
    Optional<StoreLoad> loadStates(CacheRequest request, int known, BooleanSupplier wanted) {
        int[] tokens = request.searched();
        Optional<PrefixMatch> found =
                tree.find(request.scope(), tokens, tokens.length - 1, request.replay())
                        .filter(each -> each.position() == known);
        if (features.isEmpty() || found.isEmpty()) {
            return Optional.empty();
        }
        StoreLoad load = new StoreLoad(tree, CacheSource.DISK, wanted);
        List<TokenBlock> blocks = found.get().blocks();
        load.pass(blocks.isEmpty() ? tree.root(request.scope()) : blocks.getLast());
        found.get().checkpoint().ifPresent(load::pass);
        addFeatures(load, features.get(), request.scope(), found.get());
        if (load.isEmpty()) {
            load.giveUp();
            return Optional.empty();
        }
        return Optional.of(start(load));
    }

    private StoredPrefix find(CacheScope scope, int[] tokens) {
        List<ObjectKey> blocks = new ArrayList<>();
        StoredPrefix best = StoredPrefix.NONE;
        ObjectKey at = keys.root(scope);
        for (int end = 0; ; end += TokenBlock.TOKENS) {
            best = deepest(best, blocks, at, tokens, end);
            int next = end + TokenBlock.TOKENS;
            if (next >= tokens.length) {
                return best;
            }
            at = keys.block(at, Arrays.copyOfRange(tokens, end, next));
            if (disk.archive().find(at).isEmpty()) {
                return best;
            }
            blocks.add(at);
            if (!layout.forgets()) {
                best = new StoredPrefix(List.copyOf(blocks), Optional.empty(), next);
            }
        }
    }

    private StoredPrefix deepest(
            StoredPrefix best, List<ObjectKey> blocks, ObjectKey at, int[] tokens, int end) {
        StoredPrefix result = best;
        for (StoredObject object : disk.archive().checkpoints(at)) {
            int position = object.name().position();
            boolean deeper = position > result.position() && position < tokens.length;
            if (deeper
                    && position - end == object.name().tail()
                    && keys.checkpoint(at, Arrays.copyOfRange(tokens, end, position))
                            .equals(object.name().key())) {
                result =
                        new StoredPrefix(
                                List.copyOf(blocks),
                                Optional.of(new StoredPrefix.End(object.name().key(), position)),
                                position);
            }
        }
        return result;
    }

    /** Takes room for hidden states before a position, as far as the store has some. */
    private void addFeatures(
            StoreLoad load, FeatureMemory memory, CacheScope scope, PrefixMatch found) {
        FeatureLoadPlanner states = new FeatureLoadPlanner(disk.archive(), memory, keys, load);
        List<ObjectKey> blocks = new ArrayList<>();
        ObjectKey at = keys.root(scope);
        for (TokenBlock block : found.blocks()) {
            at = keys.block(at, block.tokens());
            blocks.add(at);
        }
        Optional<Checkpoint> behind =
                found.checkpoint().filter(checkpoint -> checkpoint.tail().length > 0);
        if (behind.isPresent()
                && !states.add(keys.checkpoint(at, behind.get().tail()), behind.get())) {
            return;
        }
        int first = found.position() - FeatureSpan.MOST;
        for (int i = blocks.size() - 1; i >= 0 && found.blocks().get(i).end() > first; i--) {
            if (!states.add(blocks.get(i), found.blocks().get(i))) {
                return;
            }
        }
    }

    /** Has something written that is ready in host memory. */
    void save(CacheScope scope, Checkpoint checkpoint) {
        saves.save(scope, checkpoint);
    }

    /** Takes in what was read, and lets go what was written. */
    void poll() {
        loads.forEach(StoreLoad::take);
        loads.removeIf(StoreLoad::isReleased);
        saves.poll();
    }

    /** Forgets what is on disk, and what was to go there. */
    CompletableFuture<Void> clear() {
        return saves.dropAnd(disk.archive()::clear);
    }

    /** Whether something was read that nobody has taken in. */
    boolean hasNews() {
        return loads.stream().anyMatch(StoreLoad::hasNews);
    }

    /** Writes what waits, for a while, and closes the store. */
    @Override
    public void close() {
        saves.close();
        disk.archive().close();
        readers.close();
    }
}
