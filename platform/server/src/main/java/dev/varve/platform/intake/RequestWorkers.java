package dev.varve.platform.intake;

import dev.varve.platform.preemption.PreemptionPoint;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;

/**
 * The threads that parse bodies, render templates, tokenise and compile grammars. Few run at a
 * time, so that the engine keeps the processor whatever clients send; platform threads, since such
 * work would hold those that carry the virtual threads of all requests.
 *
 * <p>{@link FairWorkQueue} says whose work runs. It runs in turns of some milliseconds: at each
 * {@link PreemptionPoint} behind that it waits if other work comes first. No number of requests is
 * too many here: how many may wait is up to the queue of the engine, which is next.
 */
final class RequestWorkers implements AutoCloseable {
    /** From here on a body is long. */
    static final int LONG_BYTES = 512 << 10;

    /** How long work runs before other work may run. */
    static final long TURN_NANOS = 5_000_000;

    private final FairWorkQueue schedule;
    private final LongSupplier clock;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("varve-work", 0).factory());
    private volatile boolean closed;

    /** {@code cores}: of the machine, for engine and requests together. */
    RequestWorkers(int cores) {
        this(cores, System::nanoTime);
    }

    /** {@code clock}: nanoseconds since any time. */
    RequestWorkers(int cores, LongSupplier clock) {
        schedule = new FairWorkQueue(cores);
        this.clock = clock;
    }

    /**
     * Runs the work that a body causes and waits for it.
     *
     * @param owner whose work it is: owners get equal shares of the time, by {@code equals}
     * @throws IngressException if the memory does not suffice, or the server ends
     */
    <T> T run(Object owner, int bodyBytes, Callable<T> work) throws InterruptedException {
        WorkItem<T> item = new WorkItem<>(owner, bodyBytes >= LONG_BYTES, work);
        synchronized (schedule) {
            if (closed) {
                throw ended();
            }
            schedule.add(item);
            dispatch();
        }
        try {
            return item.result().get();
        } catch (InterruptedException e) {
            synchronized (schedule) {
                schedule.remove(item);
            }
            throw e;
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case OutOfMemoryError failure ->
                        throw IngressException.busy("its memory does not suffice for the request");
                case Error failure -> throw failure;
                default -> throw new IllegalStateException(e.getCause());
            }
        }
    }

    /** Gives turns to the work whose turn it is. Called with the schedule's lock. */
    private void dispatch() {
        for (Optional<WorkItem<?>> next = schedule.next();
                next.isPresent();
                next = schedule.next()) {
            if (next.get().giveTurn(clock.getAsLong())) {
                start(next.get());
            }
        }
    }

    private void start(WorkItem<?> item) {
        try {
            threads.execute(() -> work(item));
        } catch (RuntimeException | Error e) {
            schedule.end(item, 0);
            item.result().completeExceptionally(e);
        }
    }

    private <T> void work(WorkItem<T> item) {
        T value = null;
        Throwable failure = null;
        try {
            value = PreemptionPoint.schedule(() -> mayWait(item), item.work());
        } catch (Throwable e) {
            failure = e;
        }
        synchronized (schedule) {
            schedule.end(item, clock.getAsLong() - item.turnBegin());
            dispatch();
        }
        if (failure == null) {
            item.result().complete(value);
        } else {
            item.result().completeExceptionally(failure);
        }
    }

    /** On the thread of the work. */
    private long mayWait(WorkItem<?> item) {
        if (closed) {
            throw ended();
        }
        long end = clock.getAsLong();
        if (end - item.turnBegin() < TURN_NANOS) {
            return 0;
        }
        synchronized (schedule) {
            schedule.suspend(item, end - item.turnBegin());
            dispatch();
        }
        // The turn may have come back at once.
        item.awaitTurn();
        return clock.getAsLong() - end;
    }

    private static IngressException ended() {
        return new IngressException(503, "shutting_down", "the server is shutting down");
    }

    /** Work that has not begun fails, other work does so at its next point. */
    @Override
    public void close() {
        synchronized (schedule) {
            closed = true;
            schedule.removeAll().forEach(item -> item.result().completeExceptionally(ended()));
        }
        threads.shutdown();
    }
}
