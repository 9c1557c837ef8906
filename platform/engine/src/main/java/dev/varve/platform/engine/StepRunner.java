package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.HandOffStatus;
import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.prefix.RecentPrefix;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Runs the steps of an engine: admits requests, submits batches and handles failures. Only the
 * engine's thread uses it.
 */
final class StepRunner {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Result of the attempt to admit a request. */
    enum AdmissionResult {
        ADMITTED,
        /** A running request computes the same prompt or a prefix of it. */
        AWAITS_SAME_PREFIX,
        /** Its prefix is being read from disk or a shared store. */
        AWAITS_DISK,
        NO_CAPACITY
    }

    /** Number of batches that are not mixed after a mixed one failed. */
    private static final int APART = 64;

    /** Longest delay of a step by passing stored features to the speculator, in ns. */
    private static final long MOST_FEATURE_NANOS = Duration.ofMillis(2).toNanos();

    /**
     * Minimum tokens of a shared prefix for which a request waits rather than computes them itself.
     */
    private static final int MIN_AWAITED_TOKENS = 64;

    private final ShardPipeline pipeline;
    private final EngineOptions.Capacity capacity;
    private final boolean mayMix;

    /** Whether the next batch is a prefill chunk, if batches are not mixed. */
    private boolean prefillNext;

    private final EngineContext state;
    private final RunningRequests running;
    private final DecodeScheduler decodeScheduler;
    private final PrefillScheduler prefillScheduler;
    private final HostTransferScheduler hostTransfers;
    private final PrefixWarmup warmup;

    /** Time of steps outside shards, in nanoseconds. */
    private long hostNanos;

    private final FailureCounter failures = new FailureCounter(System::nanoTime);
    private long promptTokens;
    private long cachedTokens;
    private int failuresInARow;

    /** Number of tokens that were chosen before the latest failure. */
    private long tokensAtFailure;

    /** Number of submitted batches from which on batches may be mixed again. */
    private long mixesFrom;

    StepRunner(
            ShardPipeline pipeline,
            ModelShape shape,
            EngineOptions options,
            DraftProposer draftProposer,
            Optional<AsyncPageScorer> reader,
            QueueAccess line,
            RequestFailover failover) {
        this.pipeline = pipeline;
        capacity = options.capacity();
        mayMix = options.pace().mixes();
        StepTokenBudget tokenBudget = new StepTokenBudget(options.pace().maxGap());
        PrefixCache cache =
                PrefixCache.of(
                        capacity.caches(),
                        shape.forgets(),
                        options.hostCache()
                                .map(
                                        host ->
                                                new PrefixCache.HostTierOptions(
                                                        host.layout(),
                                                        host.bytes(),
                                                        draftProposer.features(
                                                                shape.embeddingLength()),
                                                        pipeline,
                                                        host.stores(),
                                                        line::wakeUp)),
                        options.eventPublisher(),
                        failures);
        running = new RunningRequests(cache, line, draftProposer, failover, failures);
        hostTransfers = new HostTransferScheduler(cache, running, this::start);
        warmup = new PrefixWarmup(cache, System::nanoTime);
        TokenSelector selector = new TokenSelector(shape.vocabularySize());
        state =
                new EngineContext(
                        running,
                        cache,
                        new InFlightBatches(
                                pipeline,
                                cache,
                                tokenBudget,
                                draftProposer,
                                selector,
                                this::endFailed),
                        selector,
                        draftProposer,
                        new PendingPageScores(reader, cache.devices(), line::wakeUp));
        decodeScheduler = new DecodeScheduler(state, capacity.contextTokens());
        prefillScheduler =
                new PrefillScheduler(
                        state, line, tokenBudget, pipeline, shape.window().isPresent());
    }

    boolean isIdle() {
        return running.isEmpty() && state.inFlight().isEmpty() && hostTransfers.isIdle();
    }

    /** Returns whether all running requests wait for page scores, and there is no other work. */
    boolean awaitsScores() {
        return !running.isEmpty()
                && !running.anyMatch(request -> !request.isAwaitingPageScores())
                && state.inFlight().isEmpty()
                && hostTransfers.isIdle();
    }

    /** Returns the last position from which a prompt may resume. Any thread. */
    int lastResume(int promptTokens) {
        return state.cache().lastResume(promptTokens);
    }

    /**
     * Returns whether a request may run beside the running ones. A request that was in a failed
     * step runs alone.
     */
    boolean mayRun(Request request) {
        return running.size() < capacity.parallel()
                && !running.anyMatch(Request::isSuspect)
                && (!request.isSuspect() || running.isEmpty());
    }

    /**
     * Returns the number of steps that failed, each with other requests, since a token was chosen.
     */
    int failuresInARow() {
        return state.selector().tokens() == tokensAtFailure ? failuresInARow : 0;
    }

    private void countFailure() {
        failuresInARow = failuresInARow() + 1;
        tokensAtFailure = state.selector().tokens();
    }

    void removeCancelled() {
        // A request that is cancelled from here on may be in a batch.
        List<Request> cancelled = running.cancelled();
        if (!cancelled.isEmpty()) {
            // Their sequences may be kept only after their batches returned.
            state.inFlight().awaitAll(cancelled::contains);
            running.removeCancelled(cancelled);
        }
    }

    /**
     * Admits a request if there is room for it and for the next block of every other sequence that
     * may need one.
     */
    AdmissionResult admit(Request request) {
        if (running.anyMatch(each -> each.computesPromptOf(request))) {
            return AdmissionResult.AWAITS_SAME_PREFIX;
        }
        if (request.awaited().filter(this::isProgressing).isPresent()) {
            return AdmissionResult.AWAITS_SAME_PREFIX;
        }
        PrefixQuery wanted = request.cacheRequest();
        PrefixCache.ResumePoint known = state.prefix().find(wanted, request.mayRestore());
        if (readAhead(request, known.length())) {
            return AdmissionResult.AWAITS_DISK;
        }
        if (awaitsSharedPrefix(request, known.length())) {
            return AdmissionResult.AWAITS_SAME_PREFIX;
        }
        Optional<PrefixCache.SequenceAllocation> begun =
                state.prefix().begin(wanted, known, running.nextBlocks());
        if (begun.isEmpty()) {
            return AdmissionResult.NO_CAPACITY;
        }
        SequenceCache place = begun.get().sequence();
        running.add(request, place);
        addDivergenceCheckpoint(wanted, request);
        if (begun.get().snapshotImport().isPresent()) {
            hostTransfers.add(request, begun.get().snapshotImport().get());
            if (request.isNew()) {
                running.guard(request, () -> request.listener().onRestore());
            }
            return AdmissionResult.ADMITTED;
        }
        running.resumeSpeculation(request);
        if (request.isNew()) {
            start(request, state.prefix().started(wanted, place.computed(), !request.mayRestore()));
        }
        if (request.isRunning() && place.computed() == request.known()) {
            request.decode();
            state.chooseFirst(request, place.output().orElseThrow());
        }
        return AdmissionResult.ADMITTED;
    }

    /**
     * Starts loads of a request's prefix from stores; returns whether the request must wait for
     * them.
     */
    boolean readAhead(Request request) {
        boolean asks =
                state.prefix().hasHost()
                        && !request.awaitsLoad()
                        && !(request.hasQueriedDisk()
                                && request.hasQueriedSharedStore()
                                && request.hasQueriedPeers());
        return readAhead(
                request,
                asks
                        ? state.prefix().find(request.cacheRequest(), request.mayRestore()).length()
                        : 0);
    }

    private boolean readAhead(Request request, int known) {
        boolean may = request.mayRestore();
        if (may && !request.hasQueriedDisk()) {
            request.setDiskLoad(
                    state.prefix()
                            .load(
                                    request.cacheRequest(),
                                    known,
                                    request.mostDraftTokens() > 0,
                                    request::isWaiting));
        }
        // The disk is read first: it is nearer than a shared store.
        if (may && !request.awaitsLoad() && !request.hasQueriedSharedStore()) {
            request.setSharedLoad(
                    state.prefix().loadShared(request.cacheRequest(), known, request::isWaiting));
        }
        if (may && !request.awaitsLoad() && !request.hasQueriedPeers()) {
            request.setHandOff(
                    state.prefix()
                            .handOff(
                                    request.cacheRequest(),
                                    request.boundaries(),
                                    known,
                                    pendingPromptTokens(),
                                    request::isWaiting));
        }
        return request.awaitsLoad();
    }

    /** Returns the number of prompt tokens of running requests that are not computed yet. */
    private int pendingPromptTokens() {
        int tokens = 0;
        for (int i = 0; i < running.size(); i++) {
            Request request = running.get(i);
            tokens += Math.max(0, request.promptLength() - request.sequence().computed());
        }
        return tokens;
    }

    /**
     * Processes completed loads from stores.
     *
     * @param quiet whether no request is queued
     */
    void adoptLoads(boolean quiet) {
        state.prefix().poll();
        warmup.advance(quiet);
    }

    /** Loads prefixes from stores into host memory while there is time for it. */
    void warm(List<RecentPrefix> prefixes, Consumer<RecentPrefix> loaded) {
        warmup.add(prefixes, loaded);
    }

    /** Returns whether prefixes are still to be loaded. */
    boolean isWarmingUp() {
        return !warmup.isIdle();
    }

    /** Returns the most recently used prefixes of host memory. */
    List<RecentPrefix> recentPrefixes(int most) {
        return state.prefix().recent(most);
    }

    boolean hasEndedLoad() {
        return state.prefix().hasEndedLoad();
    }

    /**
     * Adds a checkpoint where a prompt diverges from an earlier one, if that is far after its
     * resume position: the next prompt may diverge there as well.
     */
    private void addDivergenceCheckpoint(PrefixQuery wanted, Request request) {
        int parting =
                state.prefix().commonPrefix(wanted)
                        / CheckpointPositions.NEAR
                        * CheckpointPositions.NEAR;
        if (request.isNew() && parting >= request.sequence().computed() + MIN_AWAITED_TOKENS) {
            request.addStop(parting);
        }
    }

    /**
     * Returns whether a running request is about to compute a long prefix that another one needs.
     */
    private boolean awaitsSharedPrefix(Request request, int known) {
        // If sequences can be cut back to any position, a prefix is kept only when its request
        // ends.
        boolean keepsHeads = state.prefix().hasHost() && !state.cache().canRollBack();
        if (!keepsHeads || !request.mayRestore()) {
            return false;
        }
        for (int i = 0; i < running.size(); i++) {
            Request runs = running.get(i);
            int shared = runs.sharedStop(request);
            if (shared >= known + MIN_AWAITED_TOKENS
                    && state.prefix().awaits(runs.sequence(), shared)) {
                request.await(runs, shared);
                return true;
            }
        }
        return false;
    }

    private boolean isProgressing(Request.AwaitedPrefix awaited) {
        return state.prefix().awaits(awaited.place(), awaited.position());
    }

    private void start(Request request, PrefixLookupResult use) {
        if (!request.isNew()) {
            return;
        }
        request.recordLookup(use);
        promptTokens += request.promptLength();
        cachedTokens += request.cachedTokens();
        running.guard(request, () -> request.listener().onStart(request.cachedTokens()));
    }

    /**
     * Submits as many batches as keep all shards busy, and waits for the oldest. A batch has the
     * next tokens of sequences in decode, and prefill chunks.
     */
    void run() {
        long submitted = state.inFlight().submitted();
        long begin =
                System.nanoTime() - state.inFlight().waitedNanos() - pipeline.callerComputeNanos();
        runStep();
        if (state.inFlight().submitted() > submitted) {
            hostNanos +=
                    System.nanoTime()
                            - state.inFlight().waitedNanos()
                            - pipeline.callerComputeNanos()
                            - begin;
        }
    }

    private void runStep() {
        hostTransfers.run();
        if (state.draftProposer().hasLostFeatures()) {
            // Features of batches in flight are not recorded yet.
            state.inFlight().awaitAll();
            running.replayFeatures();
        }
        if (streams() > 0 || !running.anyMatch(Request::isInPrefill)) {
            // Without streams they would delay nothing but the first token of the prompt.
            state.draftProposer().passQueuedFeatures(MOST_FEATURE_NANOS);
        }
        boolean submits = true;
        while (submits && state.inFlight().size() < mostInFlight()) {
            submits = submitNext();
        }
        if (!state.inFlight().isEmpty()) {
            state.inFlight().awaitOldest();
        }
    }

    /** Returns the maximum number of batches in flight; each one lengthens the gaps of streams. */
    private int mostInFlight() {
        return streams() == 0 ? pipeline.depth() : pipeline.overlapping();
    }

    /** Returns the number of requests in decode that await a token rather than page scores. */
    private int streams() {
        int streams = 0;
        for (int i = 0; i < running.size(); i++) {
            Request request = running.get(i);
            streams += request.isInDecode() && !request.isAwaitingPageScores() ? 1 : 0;
        }
        return streams;
    }

    /** Submits a batch; returns whether there was one. */
    private boolean submitNext() {
        List<BatchEntry> entries = new ArrayList<>();
        if (mayMix && state.inFlight().submitted() >= mixesFrom) {
            entries.addAll(rows(true));
            entries.addAll(prefillScheduler.chunksBesideDecode(entries.size()));
        } else {
            entries.addAll(prefillNext ? prefillScheduler.chunkApart(streams() > 0) : rows(false));
            if (entries.isEmpty()) {
                entries.addAll(
                        prefillNext ? rows(false) : prefillScheduler.chunkApart(streams() > 0));
            }
            prefillNext = !prefillNext;
        }
        // A batch that failed in the meantime may have requeued the request of an entry.
        entries.removeIf(entry -> !entry.isCurrent());
        if (!entries.isEmpty()) {
            state.prefix().step();
            state.inFlight().submit(entries);
        }
        return !entries.isEmpty();
    }

    /** Returns the next batch's share of the sequences in decode. */
    private List<BatchEntry> rows(boolean mixes) {
        if (pipeline.depth() == 1) {
            return decodeScheduler.entries(Integer.MAX_VALUE);
        }
        int streams = streams();
        if (streams == 0) {
            return List.of();
        }
        boolean divides = mixes && running.anyMatch(PrefillScheduler::hasChunk);
        int batches =
                divides
                        ? Math.min(streams, pipeline.overlapping())
                        : pipeline.microBatches(streams);
        return state.inFlight().withRows() < batches
                ? decodeScheduler.entries(Math.ceilDiv(streams, batches))
                : List.of();
    }

    /**
     * Fails or moves the request of a failed batch. If several requests shared it, any of them may
     * be the cause: each runs alone next. A later batch of the same sequence does not match the
     * caches; its error depends on the shard.
     */
    private void endFailed(InFlightBatches.Failure failure) {
        failures.countStep(failure.reason());
        if (failure.mixed()) {
            mixesFrom = state.inFlight().submitted() + APART;
        }
        if (failure.mixed() || failure.requests().size() > 1) {
            suspect(failure.requests());
            running.dropAndRequeue(failure.requests());
            requeueIfChanged(failure);
            return;
        }
        boolean ends = false;
        for (Request request : failure.requests()) {
            ends |= running.endOrMove(request, failure.reason());
        }
        if (ends) {
            // Later chunks of a failed request are not counted as further failures.
            countFailure();
        }
        requeueIfChanged(failure);
    }

    private void requeueIfChanged(InFlightBatches.Failure failure) {
        if (failure.changedOthers()) {
            // Some shards may have changed rows of other sequences and some not.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "all running requests are requeued and computed again");
            requeueAll();
        }
    }

    private static void suspect(List<Request> requests) {
        if (requests.size() > 1) {
            requests.forEach(Request::suspect);
        }
    }

    /**
     * Requeues all running requests, to compute each alone, since the progress of the failed step
     * is unknown. A single running request fails.
     */
    void failAll(VarveException reason) {
        failures.countStep(reason);
        if (running.size() <= 1) {
            endAll(reason);
            return;
        }
        suspect(running.all());
        requeueAll();
    }

    /** Fails all running requests, or moves them to other engines. */
    void endAll(VarveException reason) {
        countFailure();
        state.inFlight().abandon();
        hostTransfers.abandon();
        running.endAll(reason);
    }

    /**
     * Copies the sequences of finished requests to host memory, from where they go to disk, for a
     * limited time.
     */
    void saveToDisk() {
        try {
            if (state.prefix().hasBelow()) {
                hostTransfers.finish();
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "saving prefixes to the stores failed", e);
        }
    }

    /** Waits for in-flight batches and discards their results. */
    void abandon() {
        state.inFlight().abandon();
    }

    /** Closes the prefix cache and the speculator, after the shards are closed. */
    void close() {
        state.prefix().close();
        state.draftProposer().close();
    }

    /**
     * Requeues all running requests after their batches have returned; the caches keep their
     * sequences.
     */
    void requeueAllAndRetain() {
        state.inFlight().awaitAll();
        running.requeueAllAndRetain();
    }

    /** Returns whether no request runs. */
    boolean hasNoRequests() {
        return running.isEmpty();
    }

    /** Requeues all running requests, since their sequences are lost. */
    void requeueAll() {
        state.inFlight().abandon();
        hostTransfers.abandon();
        running.requeueAll();
    }

    EngineStatus.SchedulerStats schedulerStats(int waiting) {
        return new EngineStatus.SchedulerStats(
                new EngineStatus.Load(
                        capacity.contextTokens(), capacity.parallel(), waiting, running.size()),
                state.cache().slotUse(),
                new EngineStatus.EngineCounters(
                        new EngineStatus.Tokens(
                                promptTokens, cachedTokens, state.selector().tokens()),
                        running.preemptions(),
                        running.replays(),
                        state.inFlight().submitted(),
                        hostNanos / 1e9,
                        state.selector().masks(),
                        failures.report()),
                state.prefix().status(),
                state.draftProposer().counts(),
                state.cache().paging());
    }

    List<CachedPrefixInfo> cacheEntries() {
        return state.prefix().entries();
    }

    CompletableFuture<Void> clearCache() {
        return state.prefix().clear();
    }

    void clearHost() {
        state.prefix().clearHost();
    }

    /** Returns the status of the shared store. Any thread. */
    Optional<SharedArchiveStatus> shared() {
        return state.prefix().shared();
    }

    /** Returns the status of the hand-off to prefill peers. Any thread. */
    Optional<HandOffStatus> handOff() {
        return state.prefix().handOff();
    }

    CompletableFuture<Void> saveCache() {
        return state.prefix().save();
    }

    /** Returns the status of the disk store. Any thread. */
    Optional<ArchiveStatus> disk() {
        return state.prefix().disk();
    }
}
