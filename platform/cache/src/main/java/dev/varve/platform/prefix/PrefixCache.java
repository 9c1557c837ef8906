package dev.varve.platform.prefix;

import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.prefix.PrefixLookupResult.Restored;
import dev.varve.platform.sequence.CacheCapacity;
import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.EvictionListener;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.ResidentSequenceListener;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * What was computed for prompts, wherever it is: on the devices, where a {@link KvCacheManager}
 * knows the places, or in host memory. Says from where a request can go on, and keeps what
 * sequences leave behind. Not thread-safe.
 */
public final class PrefixCache implements AutoCloseable {
    private final KvCacheManager devices;
    private final Optional<HostTier> host;
    private final Optional<CacheEventPublisher> feed;
    private final CacheCounts counts = new CacheCounts();
    private final FailureCounter failures;

    /**
     * Host memory that a cache may use.
     *
     * @param layout of what the shards keep
     * @param bytes most bytes
     * @param features hidden states that are kept beside that, within the same bytes
     * @param mover copies between both
     * @param stores what lies behind it
     * @param wakeUp called by other threads when something was read from there
     */
    public record Host(
            CacheLayout layout,
            long bytes,
            Optional<FeatureKind> features,
            CacheMover mover,
            CacheStores stores,
            Runnable wakeUp) {}

    /**
     * Where a request can go on.
     *
     * @param length leading tokens that need no computing, 0 for a miss
     * @param stored what host memory holds of them, where it holds more than the devices
     */
    public record Lookup(int length, Optional<PrefixMatch> stored) {
        /** Where it is; empty for a miss. */
        public Optional<CacheSource> source() {
            if (length == 0) {
                return Optional.empty();
            }
            return Optional.of(stored.isPresent() ? CacheSource.HOST : CacheSource.DEVICE);
        }
    }

    /**
     * A sequence that has a place.
     *
     * @param arrival what it waits for; empty if it can be computed at once
     */
    public record Begun(CachedSequence sequence, Optional<SnapshotImport> arrival) {}

    private PrefixCache(
            CacheCapacity capacity,
            boolean forgets,
            Optional<Host> memory,
            Optional<CacheEventPublisher> feed,
            FailureCounter failures) {
        this.feed = feed;
        this.failures = failures;
        Optional<CacheEventEmitter> news = feed.map(CacheEventEmitter::new);
        Leaving leaving = new Leaving();
        devices =
                new KvCacheManager(
                        capacity,
                        forgets,
                        memory.isPresent() ? leaving : EvictionListener.UNHEARD,
                        news.<ResidentSequenceListener>map(each -> each)
                                .orElse(ResidentSequenceListener.NONE));
        host = memory.map(given -> new HostTier(given, devices, news, failures));
    }

    /**
     * A cache on the devices and, if there is any, in host memory.
     *
     * @param forgets whether the model has state that cannot be cut back
     */
    public static PrefixCache of(CacheCapacity capacity, boolean forgets, Optional<Host> memory) {
        return of(
                capacity, forgets, memory, Optional.empty(), new FailureCounter(System::nanoTime));
    }

    /**
     * Likewise.
     *
     * @param feed is told what comes and goes, and closed with the cache
     * @param failures counts what fails of it; no failure but the loss of a shard is thrown
     */
    public static PrefixCache of(
            CacheCapacity capacity,
            boolean forgets,
            Optional<Host> memory,
            Optional<CacheEventPublisher> feed,
            FailureCounter failures) {
        return new PrefixCache(capacity, forgets, memory, feed, failures);
    }

    /** Sequences that leave the devices while others need their room. */
    private final class Leaving implements EvictionListener {
        @Override
        public boolean keeps(CachedSequence sequence) {
            return failures.guard(
                    "a prefix could not be looked up",
                    () -> host.map(tier -> tier.holds(sequence)).orElse(false),
                    false);
        }

        @Override
        public void leaves(CachedSequence sequence) {
            host.ifPresent(tier -> tier.exporter().flush(sequence));
        }

        @Override
        public void handedOver(CachedSequence from, CachedSequence to, int shared) {
            host.ifPresent(tier -> tier.exporter().handOver(from, to, shared));
        }

        @Override
        public boolean releaseRows() {
            return host.map(tier -> tier.exporter().flushRows()).orElse(false);
        }
    }

    /** The places on the devices. */
    public KvCacheManager devices() {
        return devices;
    }

    /** Whether host memory keeps anything. */
    public boolean hasHost() {
        return host.isPresent();
    }

    /**
     * The deepest position from which a request can go on.
     *
     * @param mayRestore whether host memory counts
     */
    public Lookup find(CacheRequest request, boolean mayRestore) {
        if (!request.scope().keeps()) {
            return new Lookup(0, Optional.empty());
        }
        int onDevice = devices.find(request);
        Optional<PrefixMatch> stored =
                mayRestore
                        ? guard("be looked up", () -> host.flatMap(tier -> tier.find(request)))
                        : Optional.empty();
        return stored.filter(found -> found.position() > onDevice)
                .map(found -> new Lookup(found.position(), Optional.of(found)))
                .orElseGet(() -> new Lookup(onDevice, Optional.empty()));
    }

    /**
     * A sequence with room for a prompt and the token after it, beginning with what was found.
     *
     * @param spareSlots slots that must remain for others
     * @return empty, and nothing is changed, if there is not enough room
     */
    public Optional<Begun> begin(CacheRequest request, Lookup lookup, int spareSlots) {
        if (lookup.stored().isEmpty()) {
            return devices.begin(request, spareSlots)
                    .map(sequence -> new Begun(sequence, Optional.empty()));
        }
        PrefixMatch found = lookup.stored().get();
        // Others that leave now may need the memory.
        found.pin();
        try {
            Optional<CachedSequence> place =
                    devices.beginBehind(request, HostTier.cuts(found), spareSlots);
            if (place.isEmpty()) {
                return Optional.empty();
            }
            Optional<SnapshotImport> arrival =
                    guard("be restored", () -> host.map(tier -> tier.restore(place.get(), found)));
            if (arrival.isPresent()) {
                return Optional.of(new Begun(place.get(), arrival));
            }
            devices.drop(place.get());
        } finally {
            host.orElseThrow().tree().unpin(found);
        }
        return begin(request, new Lookup(0, Optional.empty()), spareSlots);
    }

    private <T> Optional<T> guard(String what, Supplier<Optional<T>> work) {
        return failures.guard("a prefix could not " + what, work, Optional.empty());
    }

    private void guard(String what, Runnable work) {
        failures.guard("a prefix could not " + what, work);
    }

    private Optional<DiskTier> store() {
        return host.flatMap(HostTier::store);
    }

    private Optional<SharedTier> sharedTier() {
        return host.flatMap(HostTier::shared);
    }

    /**
     * Begins to look in a shared store for what a request needs, if much of it is nowhere else.
     *
     * @param known leading tokens that need no computing without that
     * @param wanted whether the request still waits
     */
    public Optional<PrefixLoad> loadShared(
            CacheRequest request, int known, BooleanSupplier wanted) {
        return request.scope().keeps()
                ? guard(
                        "be read from a shared store",
                        () -> sharedTier().flatMap(tier -> tier.load(request, known, wanted)))
                : Optional.empty();
    }

    /**
     * Takes note of how long a prompt took, since no store is waited for any longer.
     *
     * @param tokens that were computed
     */
    public void computed(int tokens, double millis) {
        guard("be measured", () -> sharedTier().ifPresent(tier -> tier.computed(tokens, millis)));
    }

    /**
     * Begins to read from disk what a request needs, if there is more of it than elsewhere.
     *
     * @param known leading tokens that need no computing without that
     * @param guesses whether what is guessed for it goes by hidden states
     * @param wanted whether the request still waits
     */
    public Optional<? extends PrefixLoad> load(
            CacheRequest request, int known, boolean guesses, BooleanSupplier wanted) {
        return request.scope().keeps()
                ? guard("be read from disk", () -> loadStored(request, known, guesses, wanted))
                : Optional.empty();
    }

    private Optional<StoreLoad> loadStored(
            CacheRequest request, int known, boolean guesses, BooleanSupplier wanted) {
        Optional<StoreLoad> load =
                store().flatMap(tier -> tier.load(request, known, guesses, wanted));
        // What is on the devices has its own states with it.
        return load.isPresent() || !guesses || devices.find(request) >= known
                ? load
                : store().flatMap(tier -> tier.loadStates(request, known, wanted));
    }

    /** Takes in what was read from disk, and lets go what was written. */
    public void poll() {
        guard("be taken over from disk", () -> store().ifPresent(DiskTier::poll));
        guard("be taken over from others", () -> sharedTier().ifPresent(SharedTier::poll));
    }

    /** Whether something was read that nobody has taken in. */
    public boolean hasNews() {
        return store().map(DiskTier::hasNews).orElse(false)
                || sharedTier().map(SharedTier::hasNews).orElse(false);
    }

    /** A step is computed, beside which disks and cores are left alone. */
    public void step() {
        guard("be written to disk", () -> store().ifPresent(DiskTier::step));
        guard("be shared", () -> sharedTier().ifPresent(SharedTier::step));
    }

    /**
     * Leading tokens of a request that another prompt of its scope had as well, whether it can go
     * on from there or not; 0 where nothing is known.
     */
    public int alike(CacheRequest request) {
        return request.scope().keeps()
                ? guard("be compared", () -> host.map(tier -> tier.alike(request))).orElse(0)
                : 0;
    }

    /** Takes note of a request that starts with what was found on the devices, or with nothing. */
    public PrefixLookupResult started(CacheRequest request, int cached, boolean failed) {
        PrefixLookupResult use;
        if (cached > 0) {
            use = PrefixLookupResult.onDevice(cached);
        } else if (!request.scope().keeps()) {
            use = PrefixLookupResult.missed(MissReason.DISABLED);
        } else if (failed) {
            use = PrefixLookupResult.missed(MissReason.FAILED);
        } else {
            use =
                    PrefixLookupResult.missed(
                            guard("be looked up", () -> host.map(tier -> tier.whyNot(request)))
                                    .orElse(MissReason.UNKNOWN));
        }
        counts.count(use);
        return use;
    }

    /** Takes note of a request that starts behind what has arrived. */
    public PrefixLookupResult started(CachedSequence sequence, SnapshotImport arrival) {
        PrefixLookupResult use =
                PrefixLookupResult.restored(
                        arrival.source(),
                        sequence.computed(),
                        new Restored(arrival.bytes(), arrival.nanos() / 1e6));
        counts.count(use);
        return use;
    }

    /**
     * A sequence is about to compute up to where others may part from it, and keeps its state
     * there. What becomes of that is told by {@link SnapshotExport#markComputed} or {@link
     * #forget}.
     */
    public Optional<SnapshotExport> passes(CachedSequence sequence) {
        return guard(
                "be exported",
                () ->
                        kept(sequence)
                                .filter(tier -> sequence.computed() == sequence.coldEnd())
                                .map(
                                        tier ->
                                                tier.exporter()
                                                        .add(
                                                                sequence,
                                                                sequence.computed(),
                                                                sequence.stateRow(),
                                                                false)));
    }

    /**
     * Takes note of hidden states of a sequence's positions, which go with it. Those of guesses are
     * replaced by what comes in their place.
     *
     * @param position the first one
     * @param states what was computed, also of others
     * @param column of the first position
     * @param count how many positions
     */
    public void saw(
            CachedSequence sequence,
            int position,
            List<CapturedFeature> states,
            int column,
            int count) {
        if (sequence.scope().keeps() && sequence.computed() >= position + count) {
            guard(
                    "have its hidden states kept",
                    () ->
                            host.ifPresent(
                                    tier -> tier.saw(sequence, position, states, column, count)));
        }
    }

    /** Hidden states of the positions behind which a sequence goes on, as far as they are there. */
    public Optional<FeatureSpan> seen(CachedSequence sequence) {
        return guard(
                "have its hidden states read",
                () -> host.flatMap(tier -> tier.seen(sequence, sequence.computed())));
    }

    /** The computing of it failed. */
    public void forget(SnapshotExport departure) {
        host.ifPresent(tier -> tier.exporter().cancel(departure));
    }

    private Optional<HostTier> kept(CachedSequence sequence) {
        return sequence.scope().keeps() && sequence.coldEnd() > 0 ? host : Optional.empty();
    }

    /** Exports what others may resume from, where its state is still there. */
    private void keepEnd(CachedSequence sequence) {
        int end = sequence.coldEnd();
        if (end == sequence.computed() || devices.canCutBack()) {
            guard(
                    "be exported",
                    () ->
                            kept(sequence)
                                    .ifPresent(
                                            tier ->
                                                    tier.exporter()
                                                            .add(
                                                                    sequence,
                                                                    end,
                                                                    sequence.stateRow(),
                                                                    true)));
        }
    }

    /** Keeps a finished sequence. */
    public void keep(CachedSequence sequence) {
        if (sequence.scope().keeps()) {
            keepEnd(sequence);
            devices.keep(sequence);
        } else {
            devices.drop(sequence);
        }
    }

    /** Frees the place of a sequence that will go on later; what it computed goes to the host. */
    public void putAside(CachedSequence sequence) {
        keepEnd(sequence);
        host.ifPresent(tier -> tier.exporter().flush(sequence));
        devices.drop(sequence);
    }

    /** Frees the place of a sequence of which nobody knows what it holds. */
    public void drop(CachedSequence sequence) {
        host.ifPresent(tier -> tier.cancel(sequence));
        devices.drop(sequence);
    }

    /** Whether the state of a running sequence at a position will come to host memory. */
    public boolean awaits(CachedSequence sequence, int position) {
        return sequence.computed() < position
                || host.map(tier -> tier.exporter().awaits(sequence, position)).orElse(false);
    }

    /** Whether nothing is to be copied. */
    public boolean isIdle() {
        return host.map(HostTier::isIdle).orElse(true);
    }

    /**
     * Copies between host memory and the devices for a while.
     *
     * @param nanos about how long, at most
     * @param underWay most bytes that may be on their way between processes
     */
    public void move(long nanos, long underWay) {
        host.ifPresent(tier -> tier.move(nanos, underWay));
    }

    /** Waits until something that is under way has come, if anything is. */
    public void await() {
        host.ifPresent(HostTier::await);
    }

    /** The devices lost everything; what host memory has whole stays. */
    public void lose() {
        host.ifPresent(HostTier::abandon);
        devices.clear();
    }

    /**
     * Forgets everything that no running request needs.
     *
     * @return is done when a disk has forgotten it as well; what was being written there meanwhile
     *     is left to {@link #clearHost}
     */
    public CompletableFuture<Void> clear() {
        host.ifPresent(tier -> tier.exporter().abandon());
        devices.evictAll();
        List<CompletableFuture<Void>> below = new ArrayList<>();
        store().ifPresent(tier -> below.add(tier.clear()));
        sharedTier().ifPresent(tier -> below.add(tier.clear()));
        clearHost();
        return CompletableFuture.allOf(below.toArray(CompletableFuture<?>[]::new));
    }

    /** Forgets what host memory has that nobody needs. */
    public void clearHost() {
        poll();
        host.ifPresent(HostTier::clear);
    }

    /** What host memory can restore. */
    public List<CacheEntry> entries() {
        return host.map(tier -> tier.tree().entries()).orElse(List.of());
    }

    /** What a disk holds, if there is one. Any thread may ask. */
    public Optional<ArchiveStatus> disk() {
        return store().map(DiskTier::status);
    }

    /** What became of sharing with other servers, if there is any. Any thread may ask. */
    public Optional<SharedArchiveStatus> shared() {
        return sharedTier().map(SharedTier::status);
    }

    /** Whether something lies behind host memory. */
    public boolean hasBelow() {
        return store().isPresent() || sharedTier().isPresent();
    }

    /** What it holds and did, the disk and what is shared apart. */
    public PrefixCacheStatus status() {
        return host.map(counts::status).orElseGet(counts::status);
    }

    /** Frees host memory; the shards must have ended. */
    @Override
    public void close() {
        host.ifPresent(HostTier::close);
        feed.ifPresent(CacheEventPublisher::close);
    }
}
