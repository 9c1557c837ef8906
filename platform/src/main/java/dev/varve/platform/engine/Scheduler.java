package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.sampling.Sampler;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The engine: one thread that admits requests, runs one decode step for all running sequences and
 * then one prefill chunk of one sequence, and again. Requests wait in a bounded queue.
 */
public final class Scheduler implements Engine {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** How long requests wait for a lost shard that shows no sign of life. */
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private static final Duration RECOVERY_CHECK = Duration.ofMillis(50);

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

    private long arrivals;
    private boolean busy;
    private boolean draining;
    private boolean closed;
    private volatile EngineStatus published;

    private Scheduler(ShardPipeline pipeline, ModelShape shape, EngineOptions options) {
        this.pipeline = pipeline;
        this.shape = shape;
        this.options = options;
        steps =
                new StepRunner(
                        pipeline, options, shape.forgets(), shape.vocabularySize(), this::requeue);
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
    public Generation submit(GenerationRequest request, GenerationListener listener) {
        int[] prompt = request.prompt();
        requireFits(prompt, request.maxTokens());
        Sampler sampler =
                new Sampler(request.sampling(), shape.vocabularySize(), options.suppressedTokens());
        lock.lock();
        try {
            if (closed || draining) {
                throw new VarveException(
                        VarveException.Kind.UNAVAILABLE, "the server is shutting down");
            }
            if (refusal.isPresent()) {
                throw missing(refusal.get());
            }
            if (waiting.size() >= options.queueLimit()) {
                throw new VarveException(
                        VarveException.Kind.OVERLOADED,
                        "the queue is full: "
                                + waiting.size()
                                + " requests wait already; try again later");
            }
            Request entry =
                    new Request(
                            request,
                            listener,
                            arrivals++,
                            sampler,
                            options.suppressedTokens().length > 0,
                            this::wakeUp);
            waiting.addLast(entry);
            changed.signalAll();
            return entry;
        } finally {
            lock.unlock();
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

    /** Puts a preempted request in front of the others. */
    private void requeue(Request request) {
        lock.lock();
        try {
            waiting.addFirst(request);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (awaitWork()) {
                try {
                    removeCancelled();
                    admit();
                    steps.decode();
                    steps.prefill();
                } catch (ShardLostException e) {
                    recover(e);
                }
                publish();
            }
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "the engine stopped", e);
        } finally {
            stop();
        }
    }

    /**
     * Puts everything back to the queue and waits until all shards are there again. Requests do not
     * wait long for a shard that does not even begin to load.
     */
    private void recover(ShardLostException loss) {
        LOG.log(
                System.Logger.Level.WARNING,
                "requests wait until the model is whole again: {0}",
                loss.getMessage());
        steps.loseAll();
        long patienceEnds = System.nanoTime() + PATIENCE.toNanos();
        CompletableFuture<Void> back = pipeline.recover();
        back.whenComplete((nothing, failure) -> wakeUp());
        while (!back.isDone()) {
            lock.lock();
            try {
                if (closed) {
                    return;
                }
                if (System.nanoTime() > patienceEnds && isMissing()) {
                    refusal = Optional.of(loss);
                    waiting.forEach(request -> steps.fail(request, missing(loss)));
                    waiting.clear();
                    busy = false;
                    changed.signalAll();
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
        if (!back.isCompletedExceptionally()) {
            LOG.log(System.Logger.Level.INFO, "the model is whole again; requests go on");
        }
    }

    private boolean isMissing() {
        return pipeline.status().stream()
                .anyMatch(shard -> shard.health().state() == ShardHealth.State.MISSING);
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
        while (steps.hasPlace()) {
            Request next;
            lock.lock();
            try {
                next = waiting.peekFirst();
            } finally {
                lock.unlock();
            }
            if (next == null || !steps.admit(next)) {
                return;
            }
            lock.lock();
            try {
                waiting.remove(next);
            } finally {
                lock.unlock();
            }
        }
    }

    private void publish() {
        lock.lock();
        try {
            published = steps.status(options, waiting.size());
        } finally {
            lock.unlock();
        }
    }

    private void stop() {
        lock.lock();
        try {
            closed = true;
            VarveException reason =
                    new VarveException(VarveException.Kind.CANCELLED, "the engine was stopped");
            waiting.forEach(request -> steps.fail(request, reason));
            waiting.clear();
            steps.failAll(reason);
            busy = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        pipeline.close();
    }

    @Override
    public EngineStatus status() {
        return published.withShards(pipeline.status());
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
            thread.join(TimeUnit.MINUTES.toMillis(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
