package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.prefix.CacheEntry;
import dev.varve.platform.prefix.PrefixCache;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sequence.CacheRequest;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The steps of an engine and what becomes of their requests. Only the engine's thread uses it. */
final class StepRunner {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Whether a request may run. */
    enum Admission {
        ADMITTED,
        /**
         * A running request computes the same prompt, or its head, which need not be done twice.
         */
        AWAITS_TWIN,
        /** What it needs is being read from disk. */
        AWAITS_DISK,
        NO_ROOM
    }

    /** Batches for which requests keep to themselves after one failed that several shared. */
    private static final int APART = 64;

    /** How long a step may be held up by what was computed earlier. */
    private static final long CATCH_UP = Duration.ofMillis(2).toNanos();

    /** Tokens that a request rather waits for than computes them beside the same ones. */
    private static final int WORTH_WAITING = 64;

    private final ShardPipeline pipeline;
    private final EngineOptions.Capacity capacity;
    private final boolean mayMix;
    private final EngineContext state;
    private final RunningRequests running;
    private final DecodeStep decode;
    private final PrefillStep prefill;
    private final PendingRestores restores;
    private final FailureCounter failures = new FailureCounter(System::nanoTime);
    private long promptTokens;
    private long cachedTokens;
    private int failuresInARow;

    /** Tokens that were chosen before the latest failure. */
    private long tokensAtFailure;

    /** Batches that were submitted when requests may share them again. */
    private long mixesFrom;

    StepRunner(
            ShardPipeline pipeline,
            ModelShape shape,
            EngineOptions options,
            SpeculativeDecoding drafting,
            Optional<AsyncPageScorer> reader,
            WaitingRequests line,
            RequestFailover refuge) {
        this.pipeline = pipeline;
        capacity = options.capacity();
        mayMix = options.pace().mixes() && pipeline.depth() == 1;
        StepTokenBudget pace = new StepTokenBudget(options.pace().maxGap());
        PrefixCache cache =
                PrefixCache.of(
                        capacity.caches(),
                        shape.forgets(),
                        options.hostCache()
                                .map(
                                        host ->
                                                new PrefixCache.Host(
                                                        host.layout(),
                                                        host.bytes(),
                                                        drafting.features(shape.embeddingLength()),
                                                        pipeline,
                                                        host.stores(),
                                                        line::wakeUp)),
                        options.feed(),
                        failures);
        running = new RunningRequests(cache, line, drafting, refuge, failures);
        restores = new PendingRestores(cache, running, this::start);
        state =
                new EngineContext(
                        running,
                        cache,
                        new InFlightBatches(pipeline, cache, pace, drafting, this::endFailed),
                        new TokenChoice(shape.vocabularySize()),
                        drafting,
                        new PendingPageScores(reader, cache.devices(), line::wakeUp));
        decode = new DecodeStep(state, capacity.contextTokens());
        prefill = new PrefillStep(state, line, pace, pipeline.columnGroup());
    }

    boolean isIdle() {
        return running.isEmpty() && state.flights().isEmpty() && restores.isIdle();
    }

    /** Whether nothing can be done before somebody has scored pages. */
    boolean awaitsScores() {
        return !running.isEmpty()
                && !running.anyMatch(request -> !request.isHeld())
                && state.flights().isEmpty()
                && restores.isIdle();
    }

    /** Last position from which a prompt may resume; any thread may ask. */
    int lastResume(int promptTokens) {
        return state.cache().lastResume(promptTokens);
    }

    /**
     * Whether a request may run beside those that do. One that was in a failed step is tried
     * without others.
     */
    boolean hasPlace(Request request) {
        return running.size() < capacity.parallel()
                && !running.anyMatch(Request::isSuspect)
                && (!request.isSuspect() || running.isEmpty());
    }

    /** Steps that failed, each with other requests, since one of them chose a token. */
    int failuresInARow() {
        return state.choice().tokens() == tokensAtFailure ? failuresInARow : 0;
    }

    private void countFailure() {
        failuresInARow = failuresInARow() + 1;
        tokensAtFailure = state.choice().tokens();
    }

    void removeCancelled() {
        if (running.anyMatch(Request::isCancelled)) {
            // What is kept of them must have been computed.
            state.flights().settleAll();
            running.removeCancelled();
        }
    }

    /**
     * Lets a request in if there is room for it and for the next block of every other sequence that
     * may need one.
     */
    Admission admit(Request request) {
        if (running.anyMatch(each -> each.computesPromptOf(request))) {
            return Admission.AWAITS_TWIN;
        }
        if (request.awaited().filter(this::isOnTheWay).isPresent()) {
            return Admission.AWAITS_TWIN;
        }
        CacheRequest wanted = request.cacheRequest();
        PrefixCache.Lookup known = state.prefix().find(wanted, request.mayRestore());
        if (readAhead(request, known.length())) {
            return Admission.AWAITS_DISK;
        }
        if (awaitsHead(request, known.length())) {
            return Admission.AWAITS_TWIN;
        }
        Optional<PrefixCache.Begun> begun =
                state.prefix().begin(wanted, known, running.nextBlocks());
        if (begun.isEmpty()) {
            return Admission.NO_ROOM;
        }
        CachedSequence place = begun.get().sequence();
        running.add(request, place);
        learnFrom(wanted, request);
        if (begun.get().arrival().isPresent()) {
            restores.add(request, begun.get().arrival().get());
            if (request.isNew()) {
                running.guard(request, () -> request.listener().onRestore());
            }
            return Admission.ADMITTED;
        }
        running.goesOn(request);
        if (request.isNew()) {
            start(request, state.prefix().started(wanted, place.computed(), !request.mayRestore()));
        }
        if (request.isRunning() && place.computed() == request.known()) {
            request.decode();
            state.chooseFirst(request, place.output().orElseThrow());
        }
        return Admission.ADMITTED;
    }

    /** Has stores read what a request will need; says whether that is to be waited for. */
    boolean readAhead(Request request) {
        boolean asks =
                state.prefix().hasHost()
                        && !request.awaitsDisk()
                        && !(request.hasAskedDisk() && request.hasAskedOthers());
        return readAhead(
                request,
                asks
                        ? state.prefix().find(request.cacheRequest(), request.mayRestore()).length()
                        : 0);
    }

    private boolean readAhead(Request request, int known) {
        boolean may = request.mayRestore();
        if (may && !request.hasAskedDisk()) {
            request.askDisk(
                    state.prefix()
                            .load(
                                    request.cacheRequest(),
                                    known,
                                    request.mayDraft() > 0,
                                    request::isWaiting));
        }
        // What a disk has is taken first: it is nearer.
        if (may && !request.awaitsDisk() && !request.hasAskedOthers()) {
            request.askOthers(
                    state.prefix().loadShared(request.cacheRequest(), known, request::isWaiting));
        }
        return request.awaitsDisk();
    }

    /** Takes in what was read from disk. */
    void takeRead() {
        state.prefix().poll();
    }

    boolean hasNews() {
        return state.prefix().hasNews();
    }

    /**
     * Where a prompt parts from another one far behind what it can go on from, the next one may
     * part there as well.
     */
    private void learnFrom(CacheRequest wanted, Request request) {
        int parting =
                state.prefix().alike(wanted) / CheckpointPositions.NEAR * CheckpointPositions.NEAR;
        if (request.isNew() && parting >= request.sequence().computed() + WORTH_WAITING) {
            request.keepAlso(parting);
        }
    }

    /** Whether a running request is about to compute much of what another one needs. */
    private boolean awaitsHead(Request request, int known) {
        // Where any position can be gone back to, nothing is kept before a request has ended.
        boolean keepsHeads = state.prefix().hasHost() && !state.cache().canCutBack();
        if (!keepsHeads || !request.mayRestore()) {
            return false;
        }
        for (int i = 0; i < running.size(); i++) {
            Request runs = running.get(i);
            int shared = runs.sharedStop(request);
            if (shared >= known + WORTH_WAITING && state.prefix().awaits(runs.sequence(), shared)) {
                request.await(runs, shared);
                return true;
            }
        }
        return false;
    }

    private boolean isOnTheWay(Request.Awaited awaited) {
        return state.prefix().awaits(awaited.place(), awaited.position());
    }

    private void start(Request request, PrefixLookupResult use) {
        if (!request.isNew()) {
            return;
        }
        request.usedCache(use);
        promptTokens += request.promptLength();
        cachedTokens += request.cachedTokens();
        running.guard(request, () -> request.listener().onStart(request.cachedTokens()));
    }

    /**
     * One forward with the next token of every sequence in decode and with chunks of prompts; or
     * one of each kind, where shards compute side by side and chunks keep all of them busy.
     */
    void run() {
        restores.run();
        if (state.drafting().hasLost()) {
            running.showAgain();
        }
        state.drafting().catchUp(CATCH_UP);
        List<BatchEntry> works = decode.works();
        boolean mixes = mayMix && state.flights().submitted() >= mixesFrom;
        if (mixes) {
            works.addAll(prefill.besideRows(works.size()));
        }
        if (!works.isEmpty()) {
            state.prefix().step();
            state.flights().submit(works);
            state.flights().settleAll();
        }
        if (!mixes) {
            state.prefix().step();
            prefill.keepBusy(pipeline.depth());
        }
    }

    /**
     * Ends the request of a failed batch. Where several shared it, any of them may be the cause:
     * each is tried without the others. A batch behind it of the same sequence does not fit what
     * the caches hold; a shard says so as it likes.
     */
    private void endFailed(InFlightBatches.Failure failure) {
        failures.countStep(failure.reason());
        if (failure.mixed()) {
            mixesFrom = state.flights().submitted() + APART;
        }
        if (failure.mixed() || failure.requests().size() > 1) {
            suspect(failure.requests());
            running.putBack(failure.requests());
            loseChanged(failure);
            return;
        }
        boolean ends = false;
        for (Request request : failure.requests()) {
            ends |= running.endOrMove(request, failure.reason());
        }
        if (ends) {
            // Chunks behind a failed one of their request say nothing new.
            countFailure();
        }
        loseChanged(failure);
    }

    private void loseChanged(InFlightBatches.Failure failure) {
        if (failure.changedOthers()) {
            // Some shards may have changed rows of other sequences and some not.
            LOG.log(System.Logger.Level.WARNING, "all running requests are computed anew");
            loseAll();
        }
    }

    private static void suspect(List<Request> requests) {
        if (requests.size() > 1) {
            requests.forEach(Request::suspect);
        }
    }

    /**
     * Computes all running requests anew, each without the others, since it is unknown how far a
     * step came; ends the only one that runs.
     */
    void failAll(VarveException reason) {
        failures.countStep(reason);
        if (running.size() <= 1) {
            endAll(reason);
            return;
        }
        suspect(running.all());
        loseAll();
    }

    /** Ends all running requests. */
    void endAll(VarveException reason) {
        countFailure();
        state.flights().abandon();
        restores.abandon();
        running.endAll(reason);
    }

    /** Brings what finished requests left behind to where a disk takes it from, for a while. */
    void keepOnDisk() {
        try {
            if (state.prefix().hasBelow()) {
                restores.finish();
            }
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.WARNING, "computed prompts could not be kept", e);
        }
    }

    /** Waits for what is under way, and does without it. */
    void abandon() {
        state.flights().abandon();
    }

    /** Frees host memory; the shards have ended. */
    void close() {
        state.prefix().close();
        state.drafting().close();
    }

    /** Puts all running requests back to the queue, since what was computed for them is lost. */
    void loseAll() {
        state.flights().abandon();
        restores.abandon();
        running.loseAll();
    }

    EngineStatus.Figures figures(int waiting) {
        return new EngineStatus.Figures(
                new EngineStatus.Load(
                        capacity.contextTokens(), capacity.parallel(), waiting, running.size()),
                state.cache().slotUse(),
                new EngineStatus.Counts(
                        new EngineStatus.Tokens(
                                promptTokens, cachedTokens, state.choice().tokens()),
                        running.preemptions(),
                        running.replays(),
                        state.flights().submitted(),
                        state.choice().masks(),
                        failures.report()),
                state.prefix().status(),
                state.drafting().counts(),
                state.cache().paging());
    }

    List<CacheEntry> cacheEntries() {
        return state.prefix().entries();
    }

    CompletableFuture<Void> clearCache() {
        return state.prefix().clear();
    }

    void clearHost() {
        state.prefix().clearHost();
    }

    /** What became of sharing with other servers; any thread may ask. */
    Optional<SharedArchiveStatus> shared() {
        return state.prefix().shared();
    }

    /** What a disk holds; any thread may ask. */
    Optional<ArchiveStatus> disk() {
        return state.prefix().disk();
    }
}
