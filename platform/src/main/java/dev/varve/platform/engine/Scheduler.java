package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The engine: one thread that admits requests, runs one decode step for all running sequences and
 * then one prefill chunk of one sequence, and again. Requests wait in a bounded queue.
 */
public final class Scheduler implements Engine {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private static final Duration RECOVERY_CHECK = Duration.ofMillis(50);

    /** Steps that fail one after the other, for different requests: the device is at its end. */
    private static final int FAILURES_IN_A_ROW = 8;

    private static final Duration CLOSE_REPORT = Duration.ofSeconds(10);

    private final ShardPipeline pipeline;
    private final ModelShape shape;
    private final EngineOptions options;
    private final StepRunner steps;
    private final Thread thread;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock. */
    private final Deque<Request> waiting = new ArrayDeque<>();

    /** Why requests are turned away for the time being. */
    private Optional<ShardLostException> refusal = Optional.empty();

    private final AtomicLong arrivals = new AtomicLong();
    private boolean busy;
    private boolean draining;
    private boolean closed;
    private volatile EngineStatus published;
    private final CompletableFuture<VarveException> broken = new CompletableFuture<>();

    /** Made before there may be no memory for it. */
    private final VarveException lastWord =
            new VarveException(VarveException.Kind.UNAVAILABLE, "the engine stopped");

    private Scheduler(ShardPipeline pipeline, ModelShape shape, EngineOptions options) {
        this.pipeline = pipeline;
        this.shape = shape;
        this.options = options;
        steps =
                new StepRunner(
                        pipeline, options, shape.forgets(), shape.vocabularySize(), new Line());
        published = steps.status(options, 0);
        thread = Thread.ofPlatform().name("varve-engine").daemon(true).unstarted(this::run);
    }

    /** Starts an engine over loaded shards, which it owns from now on. */
    public static Scheduler start(ShardPipeline pipeline, ModelShape shape, EngineOptions options) {
        Scheduler scheduler = new Scheduler(pipeline, shape, options);
        scheduler.thread.start();
        return scheduler;
    }

    @Override
    public List<Generation> submit(List<Submission> submissions) {
        List<Request> entries = new ArrayList<>(submissions.size());
        for (Submission submission : submissions) {
            GenerationRequest request = submission.request();
            requireFits(request.prompt(), request.maxTokens());
            entries.add(
                    new Request(
                            request,
                            submission.listener(),
                            arrivals.getAndIncrement(),
                            new Sampler(
                                    request.sampling(),
                                    shape.vocabularySize(),
                                    options.suppressedTokens()),
                            options.suppressedTokens().length > 0,
                            this::wakeUp));
        }
        lock.lock();
        try {
            requireOpen(entries.size());
            waiting.addAll(entries);
            changed.signalAll();
            return List.copyOf(entries);
        } finally {
            lock.unlock();
        }
    }

    private void requireOpen(int count) {
        if (broken.isDone()) {
            throw broken.join();
        }
        if (closed || draining) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE, "the server is shutting down");
        }
        if (refusal.isPresent()) {
            throw missing(refusal.get());
        }
        // The choices of one request may be more than the queue takes otherwise.
        if (!waiting.isEmpty() && waiting.size() + count > options.queueLimit()) {
            throw new VarveException(
                    VarveException.Kind.OVERLOADED,
                    "the queue is full: "
                            + waiting.size()
                            + " requests wait already; try again later");
        }
    }

    private void requireFits(int[] prompt, int maxTokens) {
        for (int token : prompt) {
            if (token < 0 || token >= shape.vocabularySize()) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        "token "
                                + token
                                + " is outside the vocabulary of "
                                + shape.vocabularySize());
            }
        }
        long wanted = (long) prompt.length + maxTokens;
        if (wanted > options.contextTokens()) {
            throw new VarveException(
                    VarveException.Kind.CONTEXT_OVERFLOW,
                    "This model's maximum context length is "
                            + options.contextTokens()
                            + " tokens. However, you requested "
                            + wanted
                            + " tokens ("
                            + prompt.length
                            + " in the messages, "
                            + maxTokens
                            + " in the completion). Please reduce the length of the"
                            + " messages or completion.");
        }
    }

    private void wakeUp() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What the running requests do to the queue. */
    private final class Line implements WaitingLine {
        @Override
        public void requeue(Request request) {
            lock.lock();
            try {
                waiting.addFirst(request);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public OutputRows wantedByTwins(Request request) {
            return waitingNow().stream()
                    .filter(request::hasPromptOf)
                    .map(Request::wanted)
                    // LAST, which is more than BEST, comes behind it.
                    .max(Comparator.naturalOrder())
                    .orElse(OutputRows.NONE);
        }
    }

    private List<Request> waitingNow() {
        lock.lock();
        try {
            return List.copyOf(waiting);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        VarveException end =
                new VarveException(VarveException.Kind.CANCELLED, "the engine was stopped");
        try {
            while (awaitWork()) {
                step();
                publish();
            }
        } catch (RuntimeException | Error e) {
            end = lastWord;
            end = declareBroken(e);
        } finally {
            stop(end);
        }
    }

    private void step() {
        try {
            removeCancelled();
            admit();
            steps.decode();
            steps.prefill();
        } catch (ShardLostException e) {
            recover(e);
        } catch (RuntimeException | Error e) {
            steps.endAll(StepFailure.of(e));
            LOG.log(System.Logger.Level.ERROR, "a step failed; its requests ended", e);
        }
        if (steps.failuresInARow() >= FAILURES_IN_A_ROW) {
            throw new IllegalStateException(
                    steps.failuresInARow() + " steps failed one after the other");
        }
    }

    /** Says first that it is so: what comes then may fail as well. */
    private VarveException declareBroken(Throwable failure) {
        VarveException reason = lastWord;
        try {
            reason =
                    new VarveException(
                            VarveException.Kind.UNAVAILABLE,
                            "the engine stopped: "
                                    + Optional.ofNullable(failure.getMessage())
                                            .orElse(failure.getClass().getSimpleName()),
                            failure);
        } catch (OutOfMemoryError e) {
            lastWord.addSuppressed(failure);
        }
        broken.complete(reason);
        LOG.log(System.Logger.Level.ERROR, "the engine stopped", failure);
        return reason;
    }

    /**
     * Puts everything back to the queue and waits until all shards are there again. Requests wait
     * as long as these come closer to that, and are turned away while they do not.
     */
    private void recover(ShardLostException loss) {
        LOG.log(
                System.Logger.Level.WARNING,
                "requests wait until the model is whole again: {0}",
                loss.getMessage());
        steps.loseAll();
        ShardPatience patience = new ShardPatience(options.shardPatience(), System::nanoTime);
        CompletableFuture<Void> back = pipeline.recover();
        back.whenComplete((nothing, failure) -> wakeUp());
        while (!back.isDone()) {
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                if (patience.isOver(health())) {
                    turnAway(loss);
                } else {
                    refusal = Optional.empty();
                }
                changed.awaitNanos(RECOVERY_CHECK.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            } finally {
                lock.unlock();
            }
            removeCancelledWaiting();
            publish();
        }
        lock.lock();
        try {
            refusal = Optional.empty();
        } finally {
            lock.unlock();
        }
        ShardPipeline.join(back);
        LOG.log(System.Logger.Level.INFO, "the model is whole again; requests go on");
    }

    private List<ShardHealth> health() {
        return pipeline.status().stream().map(ShardStatus::health).toList();
    }

    /** Ends the requests that wait, and refuses others; the caller holds the lock. */
    private void turnAway(ShardLostException loss) {
        if (refusal.isEmpty()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "requests are turned away: a lost shard made no progress for {0} s"
                            + " (--shard-patience)",
                    Double.toString(options.shardPatience().toMillis() / 1000.0));
        }
        refusal = Optional.of(loss);
        waiting.forEach(request -> steps.fail(request, missing(loss)));
        waiting.clear();
        busy = false;
        changed.signalAll();
    }

    private static ShardLostException missing(ShardLostException loss) {
        return new ShardLostException(
                "a shard of the model is missing and has not come back yet: " + loss.getMessage(),
                loss);
    }

    private boolean awaitWork() {
        lock.lock();
        try {
            while (!closed && waiting.isEmpty() && steps.isIdle()) {
                busy = false;
                changed.signalAll();
                changed.awaitUninterruptibly();
            }
            busy = true;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void removeCancelled() {
        removeCancelledWaiting();
        steps.removeCancelled();
    }

    private void removeCancelledWaiting() {
        lock.lock();
        try {
            for (Iterator<Request> each = waiting.iterator(); each.hasNext(); ) {
                Request request = each.next();
                if (request.isCancelled()) {
                    each.remove();
                    steps.fail(request, StepRunner.cancelled());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void admit() {
        for (Request next : waitingNow()) {
            if (!steps.hasPlace()) {
                return;
            }
            StepRunner.Admission admission;
            try {
                admission = steps.admit(next);
            } catch (RuntimeException | Error e) {
                // Or it would fail again and again.
                leaveQueue(next);
                if (!steps.isRunning(next)) {
                    steps.fail(next, StepFailure.of(e));
                }
                throw e;
            }
            switch (admission) {
                case ADMITTED -> leaveQueue(next);
                case AWAITS_TWIN -> {}
                case NO_ROOM -> {
                    return;
                }
            }
        }
    }

    private void leaveQueue(Request request) {
        lock.lock();
        try {
            waiting.remove(request);
        } finally {
            lock.unlock();
        }
    }

    private void publish() {
        try {
            published = steps.status(options, waitingNow().size());
        } catch (RuntimeException | Error e) {
            // Figures of a moment ago will do.
            LOG.log(System.Logger.Level.WARNING, "the engine's figures cannot be told", e);
        }
    }

    private void stop(VarveException reason) {
        lock.lock();
        try {
            closed = true;
            waiting.forEach(request -> steps.fail(request, reason));
            waiting.clear();
            busy = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            steps.endAll(reason);
        } finally {
            closePipeline();
        }
    }

    private void closePipeline() {
        try {
            pipeline.close();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, "a shard did not close in order", e);
        }
    }

    @Override
    public EngineStatus status() {
        return published.withShards(pipeline.status());
    }

    @Override
    public CompletableFuture<VarveException> broken() {
        return broken;
    }

    @Override
    public boolean drain(Duration limit) {
        long nanos = limit.toNanos();
        lock.lock();
        try {
            draining = true;
            while (busy || !waiting.isEmpty()) {
                if (nanos <= 0 || closed) {
                    return !busy && waiting.isEmpty();
                }
                nanos = changed.awaitNanos(nanos);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        try {
            // Weights and caches must not go before the step that uses them has ended.
            while (!thread.join(CLOSE_REPORT)) {
                LOG.log(System.Logger.Level.INFO, "waiting for the step under way to end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
