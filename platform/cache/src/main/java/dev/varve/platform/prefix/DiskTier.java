package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.StoredObjectInfo;

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
 * Disk tier of the prefix cache: loads prefixes from disk into host memory before their requests
 * run, and saves new checkpoints of host memory to disk. Only the engine's thread calls it; other
 * threads read and write.
 */
final class DiskTier implements AutoCloseable {
    /** Minimum tokens beyond the known ones that are worth a read. */
    private static final int LEAST_GAIN = 32;

    private static final int READERS = 2;

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(20);

    private final HostPrefixTree tree;
    private final CacheLayout layout;
    private final Optional<FeaturePagePool> features;
    private final DiskTierOptions disk;
    private final ChainKeys keys;
    private final StorePrefetchAllocator reservation;
    private final Runnable wakeUp;
    private final ExecutorService readers =
            Executors.newFixedThreadPool(
                    READERS,
                    Thread.ofPlatform().name("varve-store-read", 0).daemon(true).factory());
    private final StoreSaveQueue saves;
    private final List<StorePrefetch> loads = new ArrayList<>();

    /**
     * @param features host memory for hidden states, if a draft model reads them
     * @param wakeUp called by reader threads when a read has ended
     */
    DiskTier(
            HostPrefixTree tree,
            CacheLayout layout,
            Optional<FeaturePagePool> features,
            DiskTierOptions disk,
            Runnable wakeUp) {
        this.features = features;
        this.tree = tree;
        this.layout = layout;
        this.disk = disk;
        this.wakeUp = wakeUp;
        keys = new ChainKeys(disk.namespace());
        reservation = new StorePrefetchAllocator(tree, layout);
        saves =
                new StoreSaveQueue(
                        "varve-store-write",
                        new StoreSaveQueue.Target(disk.archive(), keys, disk.origin(), true),
                        tree.memory().limit(),
                        CLOSE_LIMIT);
    }

    ArchiveStatus status() {
        return disk.archive().status();
    }

    /** Notes that a step was computed, and that another one may follow. */
    void step() {
        saves.step();
    }

    /**
     * Starts to read the prefix of a request, if the disk has more of it than the other tiers.
     *
     * @param known leading tokens that are cached without the disk
     * @param guesses whether its speculation reads hidden states
     * @param isAwaited whether the request is still queued
     */
    Optional<StorePrefetch> load(
            PrefixQuery request, int known, boolean guesses, BooleanSupplier isAwaited) {
        if (request.replay().end() > 0) {
            return Optional.empty();
        }
        int[] tokens = request.searched();
        StoredPrefix prefix = find(request.scope(), tokens);
        if (prefix.position() < known + LEAST_GAIN) {
            return Optional.empty();
        }
        StorePrefetch load = new StorePrefetch(tree, CacheSource.DISK, isAwaited);
        if (!reservation.reserve(load, request.scope(), tokens, prefix)) {
            load.giveUp();
            return Optional.empty();
        }
        features.filter(featurePages -> guesses)
                .ifPresent(
                        featurePages ->
                                addFeatures(
                                        load,
                                        featurePages,
                                        request.scope(),
                                        load.found(prefix.position())));
        prefix.end().ifPresent(found -> disk.archive().use(found.key()));
        return Optional.of(start(load));
    }

    private StorePrefetch start(StorePrefetch load) {
        loads.add(load);
        load.start(disk.archive(), readers, wakeUp);
        return load;
    }

    /**
     * Starts to read hidden states that were evicted from host memory.
     *
     * @param known position before which they are; host memory has everything else that is needed
     *     there
     * @param isAwaited whether the request is still queued
     */
    Optional<StorePrefetch> loadStates(PrefixQuery request, int known, BooleanSupplier isAwaited) {
        Optional<PrefixMatch> found = tree.find(request).filter(each -> each.position() == known);
        if (features.isEmpty() || found.isEmpty()) {
            return Optional.empty();
        }
        StorePrefetch load = new StorePrefetch(tree, CacheSource.DISK, isAwaited);
        List<CachedBlock> blocks = found.get().blocks();
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
        for (int end = 0; ; end += CachedBlock.TOKENS) {
            best = deepest(best, blocks, at, tokens, end);
            int next = end + CachedBlock.TOKENS;
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
        for (StoredObjectInfo object : disk.archive().checkpoints(at)) {
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

    /** Reserves memory for the hidden states before a position, as far as the disk has them. */
    private void addFeatures(
            StorePrefetch load, FeaturePagePool featurePages, CacheScope scope, PrefixMatch found) {
        FeaturePrefetchAllocator states =
                new FeaturePrefetchAllocator(disk.archive(), featurePages, keys, load);
        List<ObjectKey> blocks = new ArrayList<>();
        ObjectKey at = keys.root(scope);
        for (CachedBlock block : found.blocks()) {
            at = keys.block(at, block.tokens());
            blocks.add(at);
        }
        Optional<Checkpoint> behind =
                found.checkpoint().filter(checkpoint -> checkpoint.tail().length > 0);
        if (behind.isPresent()
                && !states.add(keys.checkpoint(at, behind.get().tail()), behind.get())) {
            return;
        }
        int first = found.position() - TrailingFeatures.MOST;
        for (int i = blocks.size() - 1; i >= 0 && found.blocks().get(i).end() > first; i--) {
            if (!states.add(blocks.get(i), found.blocks().get(i))) {
                return;
            }
        }
    }

    /** Schedules the write of a checkpoint that is ready in host memory. */
    void save(CacheScope scope, Checkpoint checkpoint) {
        saves.save(scope, checkpoint);
    }

    /** Adopts ended loads, and unpins ended saves. */
    void poll() {
        loads.forEach(StorePrefetch::take);
        loads.removeIf(StorePrefetch::isReleased);
        saves.poll();
    }

    /** Clears the disk, and cancels pending writes. */
    CompletableFuture<Void> clear() {
        return saves.dropAnd(disk.archive()::clear);
    }

    /** Whether a load has ended that is not adopted yet. */
    boolean hasEndedLoad() {
        return loads.stream().anyMatch(StorePrefetch::hasEndedLoad);
    }

    /** Writes pending saves, for a limited time, and closes the archive. */
    @Override
    public void close() {
        saves.close();
        disk.archive().close();
        readers.close();
    }
}
