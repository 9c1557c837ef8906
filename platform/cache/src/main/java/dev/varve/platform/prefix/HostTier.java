package dev.varve.platform.prefix;

import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.ShardLostException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Host memory tier of the prefix cache, with the copies between it and the devices: a few bytes at
 * a time, imports first, because requests wait for them.
 */
final class HostTier implements AutoCloseable {
    /** Bytes of one copy. */
    private static final long COPY = 1 << 20;

    /** Divisor of the memory: the part for hidden states, if a draft model reads them. */
    private static final int FEATURE_SHARE = 4;

    private final HostPrefixTree tree;
    private final CacheLayout layout;
    private final FlushingCacheMover mover;
    private final SnapshotExporter exporter;
    private final Optional<FeaturePagePool> features;
    private final Optional<DiskTier> store;
    private final Optional<SharedTier> shared;
    private final Optional<HandOffTier> handOff;
    private final List<SnapshotImport> imports = new ArrayList<>();
    private long restoredBytes;
    private final FailureCounter failures;

    HostTier(
            PrefixCache.HostTierOptions memory,
            KvCacheManager devices,
            Optional<CacheEventEmitter> events,
            FailureCounter failures) {
        this.failures = failures;
        layout = memory.layout();
        mover = new FlushingCacheMover(devices, memory.mover());
        long forFeatures = memory.features().isPresent() ? memory.bytes() / FEATURE_SHARE : 0;
        features = memory.features().map(kind -> new FeaturePagePool(kind, forFeatures));
        tree =
                new HostPrefixTree(
                        new HostMemoryPool(memory.bytes() - forFeatures),
                        !layout.forgets(),
                        System::nanoTime,
                        events);
        store =
                memory.stores()
                        .disk()
                        .map(disk -> new DiskTier(tree, layout, features, disk, memory.wakeUp()));
        shared =
                memory.stores()
                        .shared()
                        .map(below -> new SharedTier(tree, layout, below, memory.wakeUp()));
        handOff =
                memory.stores()
                        .handOff()
                        .map(below -> new HandOffTier(tree, layout, below, memory.wakeUp()));
        exporter =
                new SnapshotExporter(
                        tree,
                        layout,
                        devices,
                        mover,
                        failures,
                        (scope, kept) -> {
                            store.ifPresent(below -> below.save(scope, kept));
                            shared.ifPresent(below -> below.save(scope, kept));
                        });
    }

    /** The disk tier below host memory. */
    Optional<DiskTier> store() {
        return store;
    }

    /** The shared tier below host memory and disk. */
    Optional<SharedTier> shared() {
        return shared;
    }

    /** The prefill peers. */
    Optional<HandOffTier> handOff() {
        return handOff;
    }

    HostPrefixTree tree() {
        return tree;
    }

    SnapshotExporter exporter() {
        return exporter;
    }

    /** Bytes copied to the devices so far. */
    long restoredBytes() {
        return restoredBytes;
    }

    /** Finds the deepest position from which a request can resume. */
    Optional<PrefixMatch> find(PrefixQuery request) {
        return tree.find(request);
    }

    /** Records hidden states of a sequence's next positions and attaches them to it. */
    void recordFeatures(
            SequenceCache place,
            int position,
            List<CapturedFeature> states,
            int column,
            int count) {
        if (features.filter(featurePages -> featurePages.kind().isOf(states, column + count))
                .isPresent()) {
            sequenceFeatures(place, features.get()).add(position, states, column, count);
        }
    }

    private static SequenceFeatures sequenceFeatures(
            SequenceCache place, FeaturePagePool featurePages) {
        if (place.attachment().orElse(null) instanceof SequenceFeatures sequenceFeatures) {
            return sequenceFeatures;
        }
        SequenceFeatures sequenceFeatures =
                new SequenceFeatures(featurePages, new TrailingFeatures(List.of(), 0));
        place.attach(sequenceFeatures);
        return sequenceFeatures;
    }

    /** Hidden states of a sequence's last positions before the given one, as many as exist. */
    Optional<TrailingFeatures> features(SequenceCache place, int position) {
        if (place.attachment().orElse(null) instanceof SequenceFeatures sequenceFeatures) {
            TrailingFeatures span = sequenceFeatures.before(position);
            features.ifPresent(featurePages -> span.pages().forEach(featurePages::touch));
            return Optional.of(span).filter(each -> each.begin() < each.end());
        }
        return Optional.empty();
    }

    /**
     * Whether a request could resume from the end of a sequence, or from a few tokens before it.
     */
    boolean holds(SequenceCache sequence) {
        int end = sequence.coldEnd();
        int[] tokens = sequence.tokens().range(0, end);
        int found = tree.find(sequence.scope(), tokens, end).map(PrefixMatch::position).orElse(0);
        return end - found < SnapshotExporter.LEAST_GAIN;
    }

    MissReason missReason(PrefixQuery request) {
        return tree.missReason(request.scope(), request.tokens().range(0, request.tokens().size()));
    }

    /** Number of leading tokens that a request shares with another prompt of its scope. */
    int commonPrefix(PrefixQuery request) {
        return tree.commonPrefix(
                request.scope(), request.tokens().range(0, request.tokens().size()));
    }

    /** Chunk boundaries of a match. */
    static ChunkHistory chunkHistory(PrefixMatch found) {
        return found.checkpoint()
                .filter(checkpoint -> checkpoint.position() == found.position())
                // A copy, because the sequence adds to it.
                .map(checkpoint -> checkpoint.chunkHistory().upTo(found.position()))
                .orElseGet(
                        () -> ChunkHistory.ofWindows(ChunkHistory.WINDOW_TOKENS, found.position()));
    }

    /** Starts copying a match to the slots of a sequence. */
    SnapshotImport restore(SequenceCache place, PrefixMatch found) {
        SnapshotImport snapshotImport = new SnapshotImport(place, layout, found);
        tree.use(found);
        features.ifPresent(
                featurePages ->
                        place.attach(
                                new SequenceFeatures(featurePages, TrailingFeatures.of(found))));
        imports.add(snapshotImport);
        return snapshotImport;
    }

    /** Whether no copy is pending or under way. */
    boolean isIdle() {
        return imports.isEmpty() && exporter.isIdle();
    }

    /**
     * Copies for a while, and completes the copies that have arrived.
     *
     * @param nanos approximate maximum duration
     * @param bytesInTransit maximum bytes under way between processes
     */
    void move(long nanos, long bytesInTransit) {
        long end = System.nanoTime() + nanos;
        boolean more = true;
        while (more && mover.bytesInTransit() < bytesInTransit) {
            more = step() && System.nanoTime() < end;
        }
        mover.requireSound();
        exporter.poll();
        for (SnapshotImport snapshotImport : List.copyOf(imports)) {
            if (snapshotImport.isOver()) {
                imports.remove(snapshotImport);
                tree.unpin(snapshotImport.found());
            }
        }
    }

    private boolean step() {
        for (SnapshotImport snapshotImport : imports) {
            if (!snapshotImport.isIssued()
                    && !snapshotImport.isGivenUp()
                    && !snapshotImport.hasFailed()) {
                issue(snapshotImport);
                return true;
            }
        }
        return exporter.step(COPY) > 0;
    }

    /** Issues the next parts of an import; a failure is a miss for its sequence only. */
    private void issue(SnapshotImport snapshotImport) {
        try {
            restoredBytes += snapshotImport.issue(mover, COPY);
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            failures.count("a prefix could not be copied from host memory", e);
            snapshotImport.fail(e);
        }
    }

    /** Cancels all copies from and to the slots of a sequence, which are about to be freed. */
    void cancel(SequenceCache place) {
        exporter.cancel(place);
        imports.stream().filter(each -> each.isOf(place)).forEach(SnapshotImport::giveUp);
    }

    /** Waits until a copy under way has ended, if there is one. */
    void await() {
        if (imports.isEmpty()) {
            exporter.await();
        } else {
            imports.getFirst().await();
        }
    }

    /** Gives up all copies under way, because the content of the devices is unknown. */
    void abandon() {
        exporter.abandon();
        for (SnapshotImport snapshotImport : imports) {
            snapshotImport.await();
            tree.unpin(snapshotImport.found());
        }
        imports.clear();
        mover.clear();
    }

    /** Evicts everything that is not in use. */
    void clear() {
        tree.clear();
        features.ifPresent(FeaturePagePool::clear);
    }

    /** Maximum bytes, including hidden states. */
    long limit() {
        return tree.memory().limit() + features.map(states -> states.memory().limit()).orElse(0L);
    }

    /** Bytes in use, including hidden states. */
    long used() {
        return tree.memory().used() + features.map(states -> states.memory().used()).orElse(0L);
    }

    /** Frees the memory; no copy may be under way. */
    @Override
    public void close() {
        store.ifPresent(DiskTier::close);
        shared.ifPresent(SharedTier::close);
        handOff.ifPresent(HandOffTier::close);
        tree.close();
        features.ifPresent(FeaturePagePool::close);
    }
}
