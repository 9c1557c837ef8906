package dev.varve.platform.intake;

import dev.varve.platform.preemption.PreemptionPoint;

import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.LongSupplier;

/**
 * Worker threads that parse bodies, render templates, tokenise and compile grammars. Few run at a
 * time, so that the engine keeps the processor under any load. They are platform threads, since
 * such work would block the carriers of all requests' virtual threads.
 *
 * <p>{@link FairWorkQueue} decides whose work runs. Work runs in turns of some milliseconds: at
 * each {@link PreemptionPoint} after that it waits if other work has priority. The number of
 * requests is not limited here: the engine's queue, which is next, limits it.
 */
final class RequestWorkers implements AutoCloseable {
    /** From this length on a body is long. */
    static final int LONG_BYTES = 512 << 10;

    /** Length of a turn. */
    static final long TURN_NANOS = 5_000_000;

    private final FairWorkQueue schedule;
    private final LongSupplier clock;
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("varve-work", 0).factory());
    private volatile boolean closed;

    /**
     * Creates workers; {@code cores} is the number of cores of the machine, for engine and requests
     * together.
     */
    RequestWorkers(int cores) {
        this(cores, System::nanoTime);
    }

    /** Creates workers with a clock; {@code clock} returns nanoseconds since any time. */
    RequestWorkers(int cores, LongSupplier clock) {
        schedule = new FairWorkQueue(cores);
        this.clock = clock;
    }

    /**
     * Runs the work for a body and waits for it.
     *
     * @param owner owner of the work: owners get equal shares of the time, by {@code equals}
     * @throws IngressException if memory is insufficient, or the server stops
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
                        throw IngressException.busy("it lacks memory for the request");
                case Error failure -> throw failure;
                default -> throw new IllegalStateException(e.getCause());
            }
        }
    }

    /** Gives free turns to the next work. The caller holds the schedule's lock. */
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
            value = PreemptionPoint.schedule(() -> suspendIfTurnOver(item), item.work());
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

    /**
     * Suspends the work at a preemption point if its turn is over; runs on the thread of the work.
     */
    private long suspendIfTurnOver(WorkItem<?> item) {
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
        // The turn may have been returned at once.
        item.awaitTurn();
        return clock.getAsLong() - end;
    }

    private static IngressException ended() {
        return new IngressException(503, "shutting_down", "the server is shutting down");
    }

    /**
     * Stops the workers: work that has not begun fails, other work fails at its next preemption
     * point.
     */
    @Override
    public void close() {
        synchronized (schedule) {
            closed = true;
            schedule.removeAll().forEach(item -> item.result().completeExceptionally(ended()));
        }
        threads.shutdown();
    }
}
