package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.RecentPrefix;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.lora.AdapterChange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * An engine with one thread, which repeatedly admits requests and computes the next token of all
 * running sequences together with prefill chunks. Requests wait in a bounded queue.
 */
public final class EngineCore implements Engine {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private static final Duration RECOVERY_CHECK = Duration.ofMillis(50);

    /** Delays warm-up so that an early request finds idle cores. */
    private static final Duration WARMUP_DELAY = Duration.ofMillis(300);

    /** Failed steps in a row, of different requests, after which the engine has failed. */
    private static final int FAILURES_IN_A_ROW = 8;

    /** Number of queued requests whose prefixes may be prefetched from disk. */
    private static final int READ_AHEAD = 8;

    private static final Duration DISK_CHECK = Duration.ofMillis(20);

    private static final Duration SCORES_CHECK = Duration.ofMillis(20);

    private static final Duration CLOSE_REPORT = Duration.ofSeconds(10);

    private final ShardPipeline pipeline;
    private final ModelShape shape;
    private final EngineOptions options;
    private final RequestQueue queue;
    private final DraftProposer draftProposer;
    private final StepRunner steps;
    private final Thread thread;
    private final AtomicLong arrivals = new AtomicLong();
    private volatile EngineStatus.SchedulerStats published;

    /** The wait for lost shards, as of the last check of their health. */
    private volatile Optional<EngineStatus.Outage> outage = Optional.empty();

    private final CompletableFuture<VarveException> broken = new CompletableFuture<>();
    private volatile RequestFailover failover = RequestFailover.NONE;
    private final Evacuation evacuation = new Evacuation();

    /** Reason of a requested failure, which takes effect after the current step. */
    private volatile Optional<VarveException> requestedFailure = Optional.empty();

    /** Allocated early: it is used on OutOfMemoryError. */
    private final VarveException reservedFailure =
            new VarveException(VarveException.Kind.UNAVAILABLE, "the engine stopped");

    private EngineCore(
            ShardPipeline pipeline,
            ModelShape shape,
            EngineOptions options,
            Optional<SpeculationOptions> speculation,
            Optional<AsyncPageScorer> pages) {
        this.pipeline = pipeline;
        this.shape = shape;
        this.options = options;
        queue = new RequestQueue(options.queueLimit());
        draftProposer = new DraftProposer(speculation, shape.vocabularySize());
        steps =
                new StepRunner(
                        pipeline,
                        shape,
                        options,
                        draftProposer,
                        pages,
                        queue,
                        new DelegatingFailover());
        published = steps.schedulerStats(0);
        thread = Thread.ofPlatform().name("varve-engine").daemon(true).unstarted(this::run);
    }

    /** Starts an engine over loaded shards, which it owns from now on. */
    public static EngineCore start(
            ShardPipeline pipeline, ModelShape shape, EngineOptions options) {
        return start(pipeline, shape, options, Optional.empty());
    }

    /** Starts an engine with speculative decoding. */
    public static EngineCore start(
            ShardPipeline pipeline,
            ModelShape shape,
            EngineOptions options,
            Optional<SpeculationOptions> speculation) {
        return start(pipeline, shape, options, speculation, Optional.empty());
    }

    /**
     * Starts an engine with speculative decoding, and with pages that a scorer selects.
     *
     * @param pages owned by the caller, which closes it after the engine
     */
    public static EngineCore start(
            ShardPipeline pipeline,
            ModelShape shape,
            EngineOptions options,
            Optional<SpeculationOptions> speculation,
            Optional<AsyncPageScorer> pages) {
        EngineCore scheduler = new EngineCore(pipeline, shape, options, speculation, pages);
        scheduler.thread.start();
        return scheduler;
    }

    /** Delegates to the current failover. */
    private final class DelegatingFailover implements RequestFailover {
        @Override
        public boolean isOpen() {
            return failover.isOpen();
        }

        @Override
        public boolean accept(TransferableRequest request, VarveException reason) {
            return failover.accept(request, reason);
        }
    }

    /** Sets the failover of requests that cannot complete here; call before the first request. */
    public void setFailover(RequestFailover elsewhere) {
        failover = elsewhere;
    }

    /**
     * Continues a request of another engine of the same model, with the tokens that it has, which
     * are computed in the same chunks.
     *
     * @throws VarveException of kind UNAVAILABLE if this engine accepts no requests
     */
    public void adopt(TransferableRequest unfinished) {
        switch (unfinished) {
            case Request request -> {
                request.moveTo(arrivals.getAndIncrement(), queue::wakeUp);
                queue.adopt(request);
            }
        }
    }

    /**
     * Returns whether it accepts requests: it has not failed, is not closed or evacuated, and
     * rejects none because of a lost shard.
     */
    public boolean acceptsRequests() {
        return !broken.isDone() && queue.isAdopting();
    }

    /**
     * Rejects new requests, and moves the accepted ones to other engines after the current step,
     * with the tokens that they have. While no other engine accepts requests, they continue here.
     *
     * @return completes when this engine has no requests; also if it fails or is closed
     */
    public CompletableFuture<Void> evacuate() {
        queue.leave();
        CompletableFuture<Void> end = evacuation.request();
        queue.wakeUp();
        return end;
    }

    /** Fails the engine after the current step. */
    public void fail(VarveException reason) {
        requestedFailure = Optional.of(reason);
        queue.wakeUp();
    }

    @Override
    public List<GenerationHandle> submit(List<NewRequest> submissions) {
        List<Request> entries = new ArrayList<>(submissions.size());
        for (NewRequest submission : submissions) {
            requireFits(submission.request());
            entries.add(
                    new Request(
                            submission,
                            arrivals.getAndIncrement(),
                            steps.lastResume(submission.request().prompt().length()),
                            new Sampler(
                                    submission.request().choice().sampling(),
                                    shape.vocabularySize(),
                                    options.suppressedTokens()),
                            options.suppressedTokens().length > 0,
                            draftProposer.newTracker(),
                            draftProposer.acceptsImages(),
                            queue::wakeUp));
        }
        try {
            queue.add(entries);
        } catch (VarveException e) {
            // A queue that was closed by a failed engine does not know the reason.
            throw broken.isDone() ? broken.join() : e;
        }
        return List.copyOf(entries);
    }

    private void requireFits(GenerationRequest request) {
        int[] prompt = request.prompt().tokens();
        int maxTokens = request.ending().maxTokens();
        for (int i = 0; i < prompt.length; i++) {
            int token = prompt[i];
            boolean known = token >= 0 || request.prompt().images().covers(i);
            if (!known || token >= shape.vocabularySize()) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        "token "
                                + token
                                + " is outside the vocabulary of "
                                + shape.vocabularySize());
            }
        }
        int context = options.capacity().contextTokens();
        if ((long) prompt.length + maxTokens > context) {
            throw ContextOverflowException.of(context, prompt.length, maxTokens);
        }
    }

    private void run() {
        VarveException end = new EngineClosedException(VarveException.Kind.CANCELLED);
        try {
            if (queue.staysIdle(WARMUP_DELAY)) {
                JitWarmup.run(pipeline, shape, options, queue::isIdle);
            }
            while (queue.awaitWork(this::isIdle)) {
                requestedFailure.ifPresent(
                        reason -> {
                            throw reason;
                        });
                step();
                publish();
                awaitDisk();
                awaitWarmup();
                awaitScores();
            }
        } catch (RuntimeException | Error e) {
            end = reservedFailure;
            end = declareBroken(e);
        } finally {
            stop(end);
        }
    }

    private boolean isIdle() {
        return steps.isIdle()
                && !steps.isWarmingUp()
                && requestedFailure.isEmpty()
                && !evacuation.isPending();
    }

    private void step() {
        try {
            runEngineCalls();
            removeCancelled();
            moveAll();
            admit();
            steps.run();
        } catch (ShardLostException e) {
            recover(e);
        } catch (RuntimeException | Error e) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "a step failed; the scheduler retries each request alone",
                    e);
            steps.failAll(StepErrorMapper.of(e));
        }
        if (steps.failuresInARow() >= FAILURES_IN_A_ROW) {
            throw new IllegalStateException(steps.failuresInARow() + " steps failed in a row");
        }
    }

    /** Moves all requests to other engines if that was requested. */
    private void moveAll() {
        if (evacuation.isPending() && failover.isOpen()) {
            steps.requeueAllAndRetain();
            // Each is queued at the front of another engine, so the next one is the last to move.
            move(
                            queue.takeAll().reversed(),
                            new VarveException(
                                    VarveException.Kind.UNAVAILABLE, "the replica is drained"))
                    .forEach(queue::requeue);
        }
        endEvacuation();
    }

    private void endEvacuation() {
        if (evacuation.isPending() && steps.hasNoRequests() && queue.size() == 0) {
            LOG.log(System.Logger.Level.INFO, "the engine has no requests and accepts none");
            evacuation.end();
        }
    }

    private void runEngineCalls() {
        queue.drainEngineCalls().forEach(RequestQueue.EngineCall::run);
    }

    /** Publishes the failure first: later steps of the shutdown may fail as well. */
    private VarveException declareBroken(Throwable failure) {
        VarveException reason = reservedFailure;
        try {
            reason =
                    new VarveException(
                            VarveException.Kind.UNAVAILABLE,
                            "the engine stopped: "
                                    + Optional.ofNullable(failure.getMessage())
                                            .orElse(failure.getClass().getSimpleName()),
                            failure);
        } catch (OutOfMemoryError e) {
            reservedFailure.addSuppressed(failure);
        }
        broken.complete(reason);
        LOG.log(System.Logger.Level.ERROR, "the engine stopped", failure);
        return reason;
    }

    /**
     * Requeues all requests and waits until all shards are back. Requests wait while lost shards
     * make progress, and are rejected after a time without progress.
     */
    private void recover(ShardLostException loss) {
        LOG.log(
                System.Logger.Level.WARNING,
                "requests wait until all shards are back: {0}",
                loss.getMessage());
        steps.requeueAll();
        publish();
        ShardRecoveryTimeout patience =
                new ShardRecoveryTimeout(options.shardPatience(), System::nanoTime);
        CompletableFuture<Void> back = pipeline.recover();
        back.whenComplete((nothing, failure) -> queue.wakeUp());
        while (!back.isDone()) {
            if (queue.isClosed()) {
                return;
            }
            boolean over = patience.isOver(health());
            if (over) {
                reject(loss);
            } else if (failover.isOpen()) {
                sendOn(loss);
            } else {
                queue.resume();
            }
            outage = Optional.of(new EngineStatus.Outage(patience.waited(), patience.left(), over));
            if (!back.isDone() && !queue.awaitChange(RECOVERY_CHECK)) {
                return;
            }
            endCancelled();
            endEvacuation();
            // Calls from other threads are served during the outage.
            runEngineCalls();
            publish();
        }
        queue.resume();
        outage = Optional.empty();
        ShardPipeline.join(back);
        LOG.log(System.Logger.Level.INFO, "all shards are back; requests continue");
    }

    private List<ShardHealth> health() {
        return pipeline.status().stream().map(ShardStatus::health).toList();
    }

    /** Fails or moves the queued requests, and rejects new ones. */
    private void reject(ShardLostException loss) {
        if (!queue.isRejecting()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the scheduler rejects requests: a lost shard made no progress for {0} s"
                            + " ({1})",
                    Double.toString(options.shardPatience().toMillis() / 1000.0),
                    Setting.SHARD_PATIENCE);
        }
        VarveException reason = RequestQueue.missing(loss);
        RemovedRequests leaving = new RemovedRequests(reason);
        queue.reject(loss, leaving);
        leaving.moveOrFail();
    }

    /** Moves the queued requests to other engines at once, since a recovery may take long. */
    private void sendOn(ShardLostException loss) {
        List<Request> left = new ArrayList<>();
        queue.reject(loss, left::addAll);
        move(left, RequestQueue.missing(loss)).reversed().forEach(queue::requeue);
    }

    /** Collects requests that were removed from the queue, to move or fail them. */
    private final class RemovedRequests implements Consumer<List<Request>> {
        private final VarveException reason;

        /** Evaluated before the queue is locked, to avoid a deadlock of two engines. */
        private final boolean mayMove;

        private final List<Request> moving = new ArrayList<>();

        RemovedRequests(VarveException reason) {
            this.reason = reason;
            mayMove = RequestFailover.helps(reason) && failover.isOpen();
        }

        @Override
        public void accept(List<Request> ended) {
            if (mayMove) {
                moving.addAll(ended);
            } else {
                fail(ended, reason);
            }
        }

        void moveOrFail() {
            fail(move(moving, reason), reason);
        }
    }

    /** Moves queued requests to other engines; returns those that none accepted. */
    private List<Request> move(List<Request> requests, VarveException reason) {
        return requests.stream().filter(request -> !failover.accept(request, reason)).toList();
    }

    private static void fail(List<Request> requests, VarveException reason) {
        requests.forEach(request -> RunningRequests.fail(request, reason));
    }

    private void removeCancelled() {
        endCancelled();
        steps.removeCancelled();
    }

    private void endCancelled() {
        fail(queue.removeCancelled(), RunningRequests.cancellation());
    }

    private void admit() {
        steps.adoptLoads(queue.size() == 0);
        boolean room = true;
        int ahead = 0;
        for (Request request : queue.waiting()) {
            boolean mayRun = room && steps.mayRun(request);
            // A request that must run alone waits for the running ones, not for later ones too.
            room &= mayRun || !request.isSuspect();
            if (mayRun) {
                switch (admit(request)) {
                    case ADMITTED -> queue.remove(request);
                    case AWAITS_SAME_PREFIX, AWAITS_DISK -> {}
                    case NO_CAPACITY -> room = false;
                }
            } else if (ahead++ < READ_AHEAD) {
                steps.readAhead(request);
            } else {
                return;
            }
        }
    }

    /** Waits if all queued requests await loads from disk, to avoid a busy loop. */
    private void awaitDisk() {
        if (!steps.isIdle()) {
            return;
        }
        List<Request> waiting = queue.waiting();
        if (!waiting.isEmpty() && waiting.stream().allMatch(Request::awaitsLoad)) {
            queue.awaitChange(
                    DISK_CHECK, () -> steps.hasEndedLoad() || !queue.waiting().equals(waiting));
        }
    }

    /** Waits if there is nothing else than prefixes to load, to avoid a busy loop. */
    private void awaitWarmup() {
        if (steps.isWarmingUp() && isIdleOtherwise()) {
            queue.awaitChange(DISK_CHECK, () -> steps.hasEndedLoad() || !isIdleOtherwise());
        }
    }

    private boolean isIdleOtherwise() {
        return steps.isIdle() && queue.size() == 0;
    }

    /** Waits if all running requests await page scores, to avoid a busy loop. */
    private void awaitScores() {
        if (steps.awaitsScores()) {
            queue.awaitChange(SCORES_CHECK, () -> !steps.awaitsScores());
        }
    }

    private StepRunner.AdmissionResult admit(Request request) {
        try {
            return steps.admit(request);
        } catch (RuntimeException | Error e) {
            // Otherwise it would fail again in every step.
            queue.remove(request);
            if (!request.isRunning()) {
                RunningRequests.fail(request, StepErrorMapper.of(e));
            }
            throw e;
        }
    }

    private void publish() {
        try {
            published = steps.schedulerStats(queue.size());
        } catch (RuntimeException | Error e) {
            // The previous statistics stay published.
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the status of the engine could not be updated",
                    e);
        }
    }

    private void stop(VarveException reason) {
        RemovedRequests leaving = new RemovedRequests(reason);
        try {
            queue.end(leaving);
            leaving.moveOrFail();
            if (!broken.isDone()) {
                steps.saveToDisk();
            }
            steps.endAll(reason);
        } finally {
            closeAll();
        }
    }

    private void closeAll() {
        try {
            closePipeline();
            steps.close();
        } finally {
            evacuation.end();
        }
    }

    private void closePipeline() {
        try {
            pipeline.close();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "closing a shard failed", e);
        }
    }

    @Override
    public EngineStatus status() {
        return published.with(
                pipeline.memory(),
                pipeline.status(),
                draftProposer.remoteStatus(),
                steps.disk(),
                steps.shared(),
                steps.handOff(),
                outage);
    }

    @Override
    public CompletableFuture<List<CachedPrefixInfo>> cacheEntries() {
        return queue.call(steps::cacheEntries);
    }

    @Override
    public CompletableFuture<Void> clearCache() {
        return queue.call(steps::clearCache)
                .thenCompose(
                        disk ->
                                disk.handle(
                                        (nothing, failure) -> clearHost().thenCompose(n -> disk)))
                .thenCompose(cleared -> cleared);
    }

    /**
     * Returns the most recently used prefixes of host memory, between two steps; none if no store
     * is below it.
     *
     * @param most maximum number
     */
    public CompletableFuture<List<RecentPrefix>> recentPrefixes(int most) {
        return queue.call(() -> steps.recentPrefixes(most));
    }

    /**
     * Loads prefixes of an earlier engine or of another one from the stores, in their order, while
     * no request is queued.
     *
     * @param loaded receives each prefix, as far as host memory has it afterwards; called by the
     *     engine's thread
     */
    public CompletableFuture<Void> warm(
            List<RecentPrefix> prefixes, Consumer<RecentPrefix> loaded) {
        return queue.call(
                () -> {
                    steps.warm(prefixes, loaded);
                    return null;
                });
    }

    @Override
    public CompletableFuture<Void> saveCache() {
        return queue.call(steps::saveCache).thenCompose(saved -> saved);
    }

    @Override
    public CompletableFuture<Void> adapt(AdapterChange change) {
        CompletableFuture<Void> changed = inShards(change);
        return change instanceof AdapterChange.Add
                ? changed.exceptionallyCompose(failure -> undo(change.number(), failure))
                : changed;
    }

    /** Removes an adapter from the shards that have added it; fails with the given failure. */
    private CompletableFuture<Void> undo(int adapter, Throwable failure) {
        return inShards(new AdapterChange.Remove(adapter))
                .handle((nothing, other) -> failure)
                .thenCompose(CompletableFuture::failedFuture);
    }

    private CompletableFuture<Void> inShards(AdapterChange change) {
        return queue.call(() -> pipeline.adapt(change)).thenCompose(done -> done);
    }

    private CompletableFuture<Void> clearHost() {
        return queue.call(
                () -> {
                    steps.clearHost();
                    return null;
                });
    }

    @Override
    public CompletableFuture<VarveException> broken() {
        return broken;
    }

    @Override
    public boolean drain(Duration limit) {
        return queue.drain(limit);
    }

    @Override
    public void close() {
        queue.close();
        try {
            // Weights and caches must not be freed before the step that uses them has ended.
            while (!thread.join(CLOSE_REPORT)) {
                LOG.log(System.Logger.Level.INFO, "waiting for the current step to end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
