package dev.varve.platform.prefix;

import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.prefix.PrefixLookupResult.RestoreStats;
import dev.varve.platform.sequence.FinishedSequenceListener;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.sequence.KvCacheManager;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.sequence.SequenceEvictionHandler;
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
 * Prefix cache over all tiers: the devices, where a {@link KvCacheManager} knows the slots, host
 * memory, and the stores below it. Finds the position from which a request can resume, and keeps
 * the prefixes of finished sequences. Not thread-safe.
 */
public final class PrefixCache implements AutoCloseable {
    private final KvCacheManager devices;
    private final Optional<HostTier> host;
    private final Optional<CacheEventPublisher> eventPublisher;
    private final CacheCounts counts = new CacheCounts();
    private final FailureCounter failures;

    /**
     * Host memory that a cache may use.
     *
     * @param layout layout of the shards' caches
     * @param bytes maximum bytes
     * @param features kind of the hidden states that are kept as well, within the same bytes
     * @param mover copies between the devices and host memory
     * @param stores stores below host memory
     * @param wakeUp called by other threads when a read from a store has ended
     */
    public record HostTierOptions(
            CacheLayout layout,
            long bytes,
            Optional<FeatureKind> features,
            CacheMover mover,
            StorageTierOptions stores,
            Runnable wakeUp) {}

    /**
     * Result of a lookup: a position from which a request can resume.
     *
     * @param length leading tokens that need no computing, 0 for a miss
     * @param stored match in host memory, if it is deeper than the one on the devices
     */
    public record ResumePoint(int length, Optional<PrefixMatch> stored) {
        /** Source of the prefix; empty for a miss. */
        public Optional<CacheSource> source() {
            if (length == 0) {
                return Optional.empty();
            }
            return Optional.of(stored.isPresent() ? CacheSource.HOST : CacheSource.DEVICE);
        }
    }

    /**
     * A sequence with slots on the devices.
     *
     * @param snapshotImport import that it waits for; empty if it can be computed at once
     */
    public record SequenceAllocation(
            SequenceCache sequence, Optional<SnapshotImport> snapshotImport) {}

    private PrefixCache(
            KvCacheConfig capacity,
            boolean forgets,
            Optional<HostTierOptions> memory,
            Optional<CacheEventPublisher> eventPublisher,
            FailureCounter failures) {
        this.eventPublisher = eventPublisher;
        this.failures = failures;
        Optional<CacheEventEmitter> events = eventPublisher.map(CacheEventEmitter::new);
        EvictionExporter evictionExporter = new EvictionExporter();
        devices =
                new KvCacheManager(
                        capacity,
                        forgets,
                        memory.isPresent() ? evictionExporter : SequenceEvictionHandler.NONE,
                        events.<FinishedSequenceListener>map(each -> each)
                                .orElse(FinishedSequenceListener.NONE));
        host = memory.map(given -> new HostTier(given, devices, events, failures));
    }

    /**
     * Creates a cache on the devices and, if configured, in host memory.
     *
     * @param forgets whether the model has state that cannot be cut back
     */
    public static PrefixCache of(
            KvCacheConfig capacity, boolean forgets, Optional<HostTierOptions> memory) {
        return of(
                capacity, forgets, memory, Optional.empty(), new FailureCounter(System::nanoTime));
    }

    /**
     * Like {@link #of(KvCacheConfig, boolean, Optional)}, with events and a failure counter.
     *
     * @param eventPublisher receives cache events, and is closed with the cache
     * @param failures counts failures of the cache; only the loss of a shard is thrown
     */
    public static PrefixCache of(
            KvCacheConfig capacity,
            boolean forgets,
            Optional<HostTierOptions> memory,
            Optional<CacheEventPublisher> eventPublisher,
            FailureCounter failures) {
        return new PrefixCache(capacity, forgets, memory, eventPublisher, failures);
    }

    /** Exports sequences that are evicted from the devices. */
    private final class EvictionExporter implements SequenceEvictionHandler {
        @Override
        public boolean isStored(SequenceCache sequence) {
            return failures.guard(
                    "the prefix cache could not look up a prefix",
                    () -> host.map(tier -> tier.holds(sequence)).orElse(false),
                    false);
        }

        @Override
        public void onEvict(SequenceCache sequence) {
            host.ifPresent(tier -> tier.exporter().flush(sequence));
        }

        @Override
        public void onHandOver(SequenceCache from, SequenceCache to, int shared) {
            host.ifPresent(tier -> tier.exporter().handOver(from, to, shared));
        }

        @Override
        public boolean releaseRows() {
            return host.map(tier -> tier.exporter().flushRows()).orElse(false);
        }
    }

    /** The sequences on the devices. */
    public KvCacheManager devices() {
        return devices;
    }

    /** Whether there is a host memory tier. */
    public boolean hasHost() {
        return host.isPresent();
    }

    /**
     * Finds the deepest position from which a request can resume.
     *
     * @param mayRestore whether host memory is searched
     */
    public ResumePoint find(PrefixQuery request, boolean mayRestore) {
        if (!request.scope().isCached()) {
            return new ResumePoint(0, Optional.empty());
        }
        int onDevice = devices.find(request);
        Optional<PrefixMatch> stored =
                mayRestore
                        ? guard("look up a prefix", () -> host.flatMap(tier -> tier.find(request)))
                        : Optional.empty();
        return stored.filter(found -> found.position() > onDevice)
                .map(found -> new ResumePoint(found.position(), Optional.of(found)))
                .orElseGet(() -> new ResumePoint(onDevice, Optional.empty()));
    }

    /**
     * Creates a sequence with slots for a prompt and the token after it, beginning with the result
     * of a lookup.
     *
     * @param spareSlots slots that must remain free
     * @return empty, and nothing is changed, if there is not enough room
     */
    public Optional<SequenceAllocation> begin(
            PrefixQuery request, ResumePoint lookup, int spareSlots) {
        if (lookup.stored().isEmpty()) {
            return devices.begin(request, spareSlots)
                    .map(sequence -> new SequenceAllocation(sequence, Optional.empty()));
        }
        PrefixMatch found = lookup.stored().get();
        // Sequences that are evicted now may need the memory.
        found.pin();
        try {
            Optional<SequenceCache> place =
                    devices.beginAfter(request, HostTier.chunkHistory(found), spareSlots);
            if (place.isEmpty()) {
                return Optional.empty();
            }
            Optional<SnapshotImport> snapshotImport =
                    guard(
                            "restore a prefix",
                            () -> host.map(tier -> tier.restore(place.get(), found)));
            if (snapshotImport.isPresent()) {
                return Optional.of(new SequenceAllocation(place.get(), snapshotImport));
            }
            devices.drop(place.get());
        } finally {
            host.orElseThrow().tree().unpin(found);
        }
        return begin(request, new ResumePoint(0, Optional.empty()), spareSlots);
    }

    private <T> Optional<T> guard(String what, Supplier<Optional<T>> work) {
        return failures.guard("the prefix cache could not " + what, work, Optional.empty());
    }

    private void guard(String what, Runnable work) {
        failures.guard("the prefix cache could not " + what, work);
    }

    private Optional<DiskTier> store() {
        return host.flatMap(HostTier::store);
    }

    private Optional<HandOffTier> handOffTier() {
        return host.flatMap(HostTier::handOff);
    }

    private Optional<SharedTier> sharedTier() {
        return host.flatMap(HostTier::shared);
    }

    /**
     * Starts a search in a shared store for the prefix of a request, if much of it is in no other
     * tier.
     *
     * @param known leading tokens that are cached without the store
     * @param isAwaited whether the request is still queued
     */
    public Optional<PrefixPrefetch> loadShared(
            PrefixQuery request, int known, BooleanSupplier isAwaited) {
        return request.scope().isCached()
                ? guard(
                        "read a prefix from the shared store",
                        () -> sharedTier().flatMap(tier -> tier.load(request, known, isAwaited)))
                : Optional.empty();
    }

    /**
     * Sends the prompt of a request to a prefill peer, if it is long, in no other tier, and
     * expected to be computed there sooner.
     *
     * @param boundaries positions of the prompt at which checkpoints are kept
     * @param known leading tokens that are cached on this server
     * @param tokensAhead prompt tokens that this server computes before those of the request
     * @param isAwaited whether the request is still queued
     */
    public Optional<PrefixPrefetch> handOff(
            PrefixQuery request,
            int[] boundaries,
            int known,
            int tokensAhead,
            BooleanSupplier isAwaited) {
        return request.scope().isCached()
                ? guard(
                        "hand a prompt to a peer",
                        () ->
                                handOffTier()
                                        .flatMap(
                                                tier ->
                                                        tier.load(
                                                                new HandOffTier.Submission(
                                                                        request,
                                                                        boundaries,
                                                                        known,
                                                                        tokensAhead,
                                                                        isAwaited))))
                : Optional.empty();
    }

    /**
     * Records the prefill time of a prompt, to limit how long a request waits for a shared store.
     *
     * @param tokens number of computed tokens
     */
    public void computed(int tokens, double millis) {
        guard(
                "record a prefill time",
                () -> {
                    sharedTier().ifPresent(tier -> tier.computed(tokens, millis));
                    handOffTier().ifPresent(tier -> tier.computed(tokens, millis));
                });
    }

    /**
     * Starts to read the prefix of a request from disk, if the disk has more of it than the other
     * tiers.
     *
     * @param known leading tokens that are cached without the disk
     * @param guesses whether its speculation reads hidden states
     * @param isAwaited whether the request is still queued
     */
    public Optional<? extends PrefixPrefetch> load(
            PrefixQuery request, int known, boolean guesses, BooleanSupplier isAwaited) {
        return request.scope().isCached()
                ? guard(
                        "read a prefix from disk",
                        () -> loadStored(request, known, guesses, isAwaited))
                : Optional.empty();
    }

    private Optional<StorePrefetch> loadStored(
            PrefixQuery request, int known, boolean guesses, BooleanSupplier isAwaited) {
        Optional<StorePrefetch> load =
                store().flatMap(tier -> tier.load(request, known, guesses, isAwaited));
        // A sequence on the devices has its own hidden states.
        return load.isPresent() || !guesses || devices.find(request) >= known
                ? load
                : store().flatMap(tier -> tier.loadStates(request, known, isAwaited));
    }

    /** Adopts ended loads from the stores, and unpins ended saves. */
    public void poll() {
        if (!hasBelow()) {
            return;
        }
        guard("adopt a prefix from disk", () -> store().ifPresent(DiskTier::poll));
        guard(
                "adopt a prefix from the shared store",
                () -> sharedTier().ifPresent(SharedTier::poll));
        guard("adopt a prefix of a peer", () -> handOffTier().ifPresent(HandOffTier::poll));
    }

    /** Whether a load has ended that is not adopted yet. */
    public boolean hasEndedLoad() {
        return store().map(DiskTier::hasEndedLoad).orElse(false)
                || sharedTier().map(SharedTier::hasEndedLoad).orElse(false)
                || handOffTier().map(HandOffTier::hasEndedLoad).orElse(false);
    }

    /** Notes that a step is being computed, during which writes to the stores are throttled. */
    public void step() {
        if (!hasBelow()) {
            return;
        }
        guard("write a prefix to disk", () -> store().ifPresent(DiskTier::step));
        guard("write a prefix to the shared store", () -> sharedTier().ifPresent(SharedTier::step));
    }

    /**
     * Number of leading tokens that a request shares with another prompt of its scope, whether it
     * can resume from there or not; 0 if unknown.
     */
    public int commonPrefix(PrefixQuery request) {
        return request.scope().isCached()
                ? guard("compare prompts", () -> host.map(tier -> tier.commonPrefix(request)))
                        .orElse(0)
                : 0;
    }

    /** Counts a request that starts with a prefix on the devices, or without a cached prefix. */
    public PrefixLookupResult started(PrefixQuery request, int cached, boolean failed) {
        PrefixLookupResult use;
        if (cached > 0) {
            use = PrefixLookupResult.onDevice(cached);
        } else if (!request.scope().isCached()) {
            use = PrefixLookupResult.missed(MissReason.DISABLED);
        } else if (failed) {
            use = PrefixLookupResult.missed(MissReason.FAILED);
        } else {
            use =
                    PrefixLookupResult.missed(
                            guard(
                                            "look up a prefix",
                                            () -> host.map(tier -> tier.missReason(request)))
                                    .orElse(MissReason.UNKNOWN));
        }
        counts.count(use);
        return use;
    }

    /** Counts a request that starts after its import has arrived. */
    public PrefixLookupResult started(SequenceCache sequence, SnapshotImport snapshotImport) {
        PrefixLookupResult use =
                PrefixLookupResult.restored(
                        snapshotImport.source(),
                        sequence.computed(),
                        new RestoreStats(snapshotImport.bytes(), snapshotImport.nanos() / 1e6));
        counts.count(use);
        return use;
    }

    /**
     * Exports a sequence up to its checkpoint, because other prompts may diverge there. The batch
     * may still be in flight: the caller calls {@link SnapshotExportTask#markComputed} after its
     * success, or {@link #dropExport} after its failure.
     */
    public Optional<SnapshotExportTask> exportCheckpoint(SequenceCache sequence) {
        SequenceCache.Checkpoint end = sequence.checkpoint();
        return guard(
                "export a prefix",
                () ->
                        exportTier(sequence)
                                .filter(tier -> end.position() <= sequence.coldEnd())
                                .map(
                                        tier ->
                                                tier.exporter()
                                                        .add(
                                                                sequence,
                                                                end.position(),
                                                                end.row(),
                                                                false)));
    }

    /**
     * Records hidden states of a sequence's positions and attaches them to it. Later calls replace
     * those of rejected draft tokens.
     *
     * @param position the first position
     * @param states computed hidden states, also of other sequences
     * @param column column of the first position
     * @param count number of positions
     */
    public void recordFeatures(
            SequenceCache sequence,
            int position,
            List<CapturedFeature> states,
            int column,
            int count) {
        if (sequence.scope().isCached() && sequence.computed() >= position + count) {
            guard(
                    "store hidden states",
                    () ->
                            host.ifPresent(
                                    tier ->
                                            tier.recordFeatures(
                                                    sequence, position, states, column, count)));
        }
    }

    /** Hidden states of the positions before the end of a sequence, as far as they exist. */
    public Optional<TrailingFeatures> features(SequenceCache sequence) {
        return guard(
                "read hidden states",
                () -> host.flatMap(tier -> tier.features(sequence, sequence.computed())));
    }

    /** Drops an export whose computation failed. */
    public void dropExport(SnapshotExportTask export) {
        host.ifPresent(tier -> tier.exporter().cancel(export));
    }

    private Optional<HostTier> exportTier(SequenceCache sequence) {
        return sequence.scope().isCached() && sequence.coldEnd() > 0 ? host : Optional.empty();
    }

    /**
     * Exports the last position from which other requests may resume, if its state still exists.
     */
    private void exportLastPosition(SequenceCache sequence) {
        int end = sequence.coldEnd();
        if (end == sequence.computed() || devices.canRollBack()) {
            guard(
                    "export a prefix",
                    () ->
                            exportTier(sequence)
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
    public void retain(SequenceCache sequence) {
        if (sequence.scope().isCached()) {
            exportLastPosition(sequence);
            devices.retain(sequence);
        } else {
            devices.drop(sequence);
        }
    }

    /** Preempts a sequence: exports its computed tokens to host memory and frees its slots. */
    public void preempt(SequenceCache sequence) {
        exportLastPosition(sequence);
        host.ifPresent(tier -> tier.exporter().flush(sequence));
        devices.drop(sequence);
    }

    /** Frees the slots of a sequence whose content is unknown. */
    public void drop(SequenceCache sequence) {
        host.ifPresent(tier -> tier.cancel(sequence));
        devices.drop(sequence);
    }

    /** Whether the state of a running sequence at a position will still reach host memory. */
    public boolean awaits(SequenceCache sequence, int position) {
        return sequence.computed() < position
                || host.map(tier -> tier.exporter().awaits(sequence, position)).orElse(false);
    }

    /** Whether no copy is pending or under way. */
    public boolean isIdle() {
        return host.map(HostTier::isIdle).orElse(true);
    }

    /**
     * Copies between host memory and the devices for a while.
     *
     * @param nanos approximate maximum duration
     * @param bytesInTransit maximum bytes under way between processes
     */
    public void move(long nanos, long bytesInTransit) {
        host.ifPresent(tier -> tier.move(nanos, bytesInTransit));
    }

    /** Waits until a copy under way has ended, if there is one. */
    public void await() {
        host.ifPresent(HostTier::await);
    }

    /** Clears the devices after the loss of their content; complete entries of host memory stay. */
    public void clearDevices() {
        host.ifPresent(HostTier::abandon);
        devices.clear();
    }

    /**
     * Evicts everything that no running request needs.
     *
     * @return completes when the stores are cleared as well; entries that were being written
     *     meanwhile are left to {@link #clearHost}
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

    /** Evicts everything from host memory that is not in use. */
    public void clearHost() {
        poll();
        host.ifPresent(HostTier::clear);
    }

    /** Positions that host memory can restore. */
    public List<CachedPrefixInfo> entries() {
        return host.map(tier -> tier.tree().entries()).orElse(List.of());
    }

    /**
     * The most recently used prefixes of host memory that a store may have as well; none without a
     * store.
     *
     * @param most maximum number
     */
    public List<RecentPrefix> recent(int most) {
        return guard(
                        "list its prefixes",
                        () -> host.filter(tier -> hasStore()).map(tier -> tier.tree().recent(most)))
                .orElse(List.of());
    }

    /** Whether there is a disk or a shared store below host memory. */
    public boolean hasStore() {
        return store().isPresent() || sharedTier().isPresent();
    }

    /** The part of host memory that is in use, from 0 to 1. */
    public double hostUse() {
        return host.map(tier -> (double) tier.used() / tier.limit()).orElse(1.0);
    }

    /** Status of the disk, if there is one. May be called by any thread. */
    public Optional<ArchiveStatus> disk() {
        return store().map(DiskTier::status);
    }

    /** Status of the shared store, if there is one. May be called by any thread. */
    public Optional<SharedArchiveStatus> shared() {
        return sharedTier().map(SharedTier::status);
    }

    /** Status of the hand-off to prefill peers, if there are any. May be called by any thread. */
    public Optional<HandOffStatus> handOff() {
        return handOffTier().map(HandOffTier::status);
    }

    /**
     * Copies the computed prefixes to host memory.
     *
     * @return completes when they are written to the shared store, as far as there is one
     */
    public CompletableFuture<Void> save() {
        guard("export prefixes", () -> host.ifPresent(tier -> tier.exporter().finish()));
        return sharedTier()
                .map(SharedTier::saved)
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    /** Whether there is a store below host memory. */
    public boolean hasBelow() {
        return store().isPresent() || sharedTier().isPresent() || handOffTier().isPresent();
    }

    /** Contents and statistics of the cache, without the disk and the shared store. */
    public PrefixCacheStatus status() {
        return host.map(counts::status).orElseGet(counts::status);
    }

    /** Frees host memory; the shards must have ended. */
    @Override
    public void close() {
        host.ifPresent(HostTier::close);
        eventPublisher.ifPresent(CacheEventPublisher::close);
    }
}
