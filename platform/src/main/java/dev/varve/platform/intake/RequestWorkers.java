package dev.varve.platform.intake;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that parse bodies, render templates and tokenise. Few, so that the engine keeps the
 * processor whatever clients send; platform threads, since such work would hold those that carry
 * the virtual threads of all requests.
 *
 * <p>Long bodies have a lane of their own, in which one is worked on at a time: short ones do not
 * wait for it, and the memory that it needs is needed once. Together the lanes leave the engine a
 * core at least.
 */
final class RequestWorkers implements AutoCloseable {
    /** From here on a body is long. */
    static final int LONG_BYTES = 512 << 10;

    private static final int QUEUE = 256;
    private static final int CORES_PER_THREAD = 4;

    private final ThreadPoolExecutor shortLane;
    private final ThreadPoolExecutor longLane;
    private final Semaphore turns;
    private final Duration wait;

    /** {@code cores}: of the machine, for engine and requests together. */
    RequestWorkers(Duration wait, int cores) {
        this.wait = wait;
        turns = new Semaphore(Math.max(1, cores - 1), true);
        shortLane = lane("varve-work", Math.max(1, cores / CORES_PER_THREAD));
        longLane = lane("varve-work-long", 1);
    }

    private static ThreadPoolExecutor lane(String name, int threads) {
        ThreadPoolExecutor lane =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        10,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(QUEUE),
                        Thread.ofPlatform().daemon().name(name, 0).factory());
        lane.allowCoreThreadTimeOut(true);
        return lane;
    }

    /**
     * Runs the work that a body causes and waits for it.
     *
     * @throws IntakeException if it does not begin in time, or the memory does not suffice
     */
    <T> T run(int bodyBytes, Callable<T> work) throws InterruptedException {
        ThreadPoolExecutor lane = bodyBytes < LONG_BYTES ? shortLane : longLane;
        WorkItem<T> item = new WorkItem<>(work);
        Future<T> result;
        try {
            result = lane.submit(() -> inTurn(item));
        } catch (RejectedExecutionException e) {
            throw busy();
        }
        try {
            if (!item.awaitBegin(wait) && item.withdraw()) {
                lane.remove((Runnable) result);
                throw busy();
            }
            return result.get();
        } catch (InterruptedException e) {
            result.cancel(true);
            throw e;
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case OutOfMemoryError failure ->
                        throw IntakeException.busy("its memory does not suffice for the request");
                case Error failure -> throw failure;
                default -> throw new IllegalStateException(e.getCause());
            }
        }
    }

    private <T> T inTurn(WorkItem<T> item) throws Exception {
        turns.acquire();
        try {
            return item.call();
        } finally {
            turns.release();
        }
    }

    private static IntakeException busy() {
        return IntakeException.busy("too many requests wait for their turn");
    }

    @Override
    public void close() {
        shortLane.shutdownNow();
        longLane.shutdownNow();
    }
}
