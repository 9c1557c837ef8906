package dev.varve.platform.prefix;

import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.CutList;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.Feature;
import dev.varve.platform.shard.ShardLostException;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What host memory keeps of sequences, and what moves between it and the devices: a little at a
 * time, arrivals first, since somebody waits for them.
 */
final class HostTier implements AutoCloseable {
    /** Bytes of one copy. */
    private static final long COPY = 1 << 20;

    /** Tokens of a window of prefill, for prompts of which nobody knows how they were cut. */
    private static final int WINDOW = 512;

    /** Part of the memory that is for hidden states, where a draft wants them. */
    private static final int FEATURE_SHARE = 4;

    private final PrefixTree tree;
    private final CacheLayout layout;
    private final MeteredMover mover;
    private final Exporter exporter;
    private final Optional<FeatureMemory> features;
    private final Optional<StoreTier> store;
    private final Optional<SharedTier> shared;
    private final List<Arrival> arrivals = new ArrayList<>();
    private long restoredBytes;
    private final FailureCounter failures;

    HostTier(
            PrefixCache.Host memory,
            SequenceCache devices,
            Optional<BlockNews> news,
            FailureCounter failures) {
        this.failures = failures;
        layout = memory.layout();
        mover = new MeteredMover(devices, memory.mover());
        long forFeatures = memory.features().isPresent() ? memory.bytes() / FEATURE_SHARE : 0;
        features = memory.features().map(kind -> new FeatureMemory(kind, forFeatures));
        tree =
                new PrefixTree(
                        new CellMemory(memory.bytes() - forFeatures),
                        !layout.forgets(),
                        System::nanoTime,
                        news);
        store =
                memory.stores()
                        .disk()
                        .map(disk -> new StoreTier(tree, layout, features, disk, memory.wakeUp()));
        shared =
                memory.stores()
                        .shared()
                        .map(below -> new SharedTier(tree, layout, below, memory.wakeUp()));
        exporter =
                new Exporter(
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

    /** What lies behind host memory. */
    Optional<StoreTier> store() {
        return store;
    }

    /** What lies behind both. */
    Optional<SharedTier> shared() {
        return shared;
    }

    PrefixTree tree() {
        return tree;
    }

    Exporter exporter() {
        return exporter;
    }

    /** Bytes copied to the devices so far. */
    long restoredBytes() {
        return restoredBytes;
    }

    /** The deepest position from which a request can go on. */
    Optional<Found> find(CacheRequest request) {
        int[] tokens = request.searched();
        return tree.find(request.scope(), tokens, tokens.length - 1, request.replay());
    }

    /** Keeps hidden states of a sequence's next positions with it. */
    void saw(CachedSequence place, int position, List<Feature> states, int column, int count) {
        if (features.filter(memory -> memory.kind().isOf(states, column + count)).isPresent()) {
            trail(place, features.get()).add(position, states, column, count);
        }
    }

    private static FeatureTrail trail(CachedSequence place, FeatureMemory memory) {
        if (place.companion().orElse(null) instanceof FeatureTrail trail) {
            return trail;
        }
        FeatureTrail trail = new FeatureTrail(memory, new FeatureSpan(List.of(), 0));
        place.goWith(trail);
        return trail;
    }

    /** Hidden states of a sequence's last positions before one, as many as there are. */
    Optional<FeatureSpan> seen(CachedSequence place, int position) {
        if (place.companion().orElse(null) instanceof FeatureTrail trail) {
            FeatureSpan span = trail.before(position);
            features.ifPresent(memory -> span.pages().forEach(memory::touch));
            return Optional.of(span).filter(each -> each.begin() < each.end());
        }
        return Optional.empty();
    }

    /** Whether a request could go on from where a sequence ends, or a few tokens before that. */
    boolean holds(CachedSequence sequence) {
        int end = sequence.coldEnd();
        int[] tokens = sequence.tokens().range(0, end);
        int found = tree.find(sequence.scope(), tokens, end).map(Found::position).orElse(0);
        return end - found < Exporter.LEAST_GAIN;
    }

    MissReason whyNot(CacheRequest request) {
        return tree.whyNot(request.scope(), request.tokens().range(0, request.tokens().size()));
    }

    /** Leading tokens of a request that another prompt of its scope had as well. */
    int alike(CacheRequest request) {
        return tree.alike(request.scope(), request.tokens().range(0, request.tokens().size()));
    }

    /** How what was found was computed. */
    static CutList cuts(Found found) {
        return found.checkpoint()
                .filter(checkpoint -> checkpoint.position() == found.position())
                // A copy, to which the sequence adds.
                .map(checkpoint -> checkpoint.cuts().upTo(found.position()))
                .orElseGet(() -> CutList.ofWindows(WINDOW, found.position()));
    }

    /** Brings what was found to where a sequence lies. */
    Arrival restore(CachedSequence place, Found found) {
        Arrival arrival = new Arrival(place, layout, found);
        tree.use(found);
        features.ifPresent(memory -> place.goWith(new FeatureTrail(memory, FeatureSpan.of(found))));
        arrivals.add(arrival);
        return arrival;
    }

    /** Whether something is to be copied, or under way. */
    boolean isIdle() {
        return arrivals.isEmpty() && exporter.isIdle();
    }

    /**
     * Copies for a while, and takes in what has arrived.
     *
     * @param nanos about how long, at most
     * @param underWay most bytes that may be on their way between processes
     */
    void move(long nanos, long underWay) {
        long end = System.nanoTime() + nanos;
        boolean more = true;
        while (more && mover.underWay() < underWay) {
            more = step() && System.nanoTime() < end;
        }
        mover.requireSound();
        exporter.poll();
        for (Arrival arrival : List.copyOf(arrivals)) {
            if (arrival.isOver()) {
                arrivals.remove(arrival);
                tree.unpin(arrival.found());
            }
        }
    }

    private boolean step() {
        for (Arrival arrival : arrivals) {
            if (!arrival.isIssued() && !arrival.isGivenUp() && !arrival.hasFailed()) {
                issue(arrival);
                return true;
            }
        }
        return exporter.step(COPY) > 0;
    }

    /** Copies the next parts of an arrival; a failure is a miss for its sequence alone. */
    private void issue(Arrival arrival) {
        try {
            restoredBytes += arrival.issue(mover, COPY);
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException e) {
            failures.count("a prefix could not be copied from host memory", e);
            arrival.fail(e);
        }
    }

    /** Copies nothing more to or from the place of a sequence, which is about to be freed. */
    void cancel(CachedSequence place) {
        exporter.cancel(place);
        arrivals.stream().filter(each -> each.isOf(place)).forEach(Arrival::giveUp);
    }

    /** Waits until something that is under way has come, if anything is. */
    void await() {
        if (arrivals.isEmpty()) {
            exporter.await();
        } else {
            arrivals.getFirst().await();
        }
    }

    /** Gives up all that is under way, since nobody knows what the devices hold. */
    void abandon() {
        exporter.abandon();
        for (Arrival arrival : arrivals) {
            arrival.await();
            tree.unpin(arrival.found());
        }
        arrivals.clear();
        mover.clear();
    }

    /** Forgets all that nobody needs. */
    void clear() {
        tree.clear();
        features.ifPresent(FeatureMemory::clear);
    }

    /** Most bytes of all that it holds. */
    long limit() {
        return tree.memory().limit() + features.map(states -> states.memory().limit()).orElse(0L);
    }

    /** Bytes that are taken, hidden states included. */
    long used() {
        return tree.memory().used() + features.map(states -> states.memory().used()).orElse(0L);
    }

    /** Frees the memory; nothing may be under way. */
    @Override
    public void close() {
        store.ifPresent(StoreTier::close);
        shared.ifPresent(SharedTier::close);
        tree.close();
        features.ifPresent(FeatureMemory::close);
    }
}
