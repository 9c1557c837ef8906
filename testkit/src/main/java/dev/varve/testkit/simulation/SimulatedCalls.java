package dev.varve.testkit.simulation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Methods that simulated code calls instead of those of the JDK for time and threads. Each method
 * stands for the one of its name; the receiver comes first. See {@link SimulatedCode}.
 */
public final class SimulatedCalls {
    private SimulatedCalls() {}

    /** An interruptible wait. */
    interface Wait {
        void run() throws InterruptedException;
    }

    /**
     * Limits a wait to a time; an interrupt ends it when the time is over.
     *
     * @return whether it ended before
     */
    static boolean timed(long nanos, Wait wait) throws InterruptedException {
        Simulation simulation = Simulation.current();
        Thread thread = Thread.currentThread();
        boolean[] fired = new boolean[1];
        Simulation.Timer timer =
                simulation.after(
                        Math.max(0, nanos),
                        () -> {
                            fired[0] = true;
                            thread.interrupt();
                        });
        try {
            wait.run();
            if (fired[0]) {
                Thread.interrupted();
            }
            return true;
        } catch (InterruptedException e) {
            if (!fired[0]) {
                throw e;
            }
            return false;
        } finally {
            timer.cancel();
        }
    }

    /** A place where other threads may continue. */
    public static void point() {
        Simulation.point();
    }

    public static long nanoTime() {
        Simulation now = Simulation.current();
        return now == null ? System.nanoTime() : now.nanoTime();
    }

    public static long currentTimeMillis() {
        return nanoTime() / 1_000_000 + 1_800_000_000_000L;
    }

    public static Instant now() {
        return Instant.ofEpochMilli(currentTimeMillis());
    }

    public static InstantSource system() {
        return SimulatedCalls::now;
    }

    public static System.Logger getLogger(String name) {
        return new SimulatedLogger(name);
    }

    public static void sleep(long millis) throws InterruptedException {
        timed(millis * 1_000_000, () -> new CountDownLatch(1).await());
    }

    public static void sleep(Duration time) throws InterruptedException {
        timed(time.toNanos(), () -> new CountDownLatch(1).await());
    }

    public static void parkNanos(long nanos) {
        parkNanos(SimulatedCalls.class, nanos);
    }

    public static void parkNanos(Object blocker, long nanos) {
        Thread thread = Thread.currentThread();
        Simulation.Timer timer =
                Simulation.current().after(nanos, () -> LockSupport.unpark(thread));
        LockSupport.park(blocker);
        timer.cancel();
    }

    public static boolean await(Object what, long time, TimeUnit unit) throws InterruptedException {
        return switch (what) {
            case Condition condition -> timed(unit.toNanos(time), condition::await);
            case CountDownLatch latch ->
                    latch.getCount() == 0 || timed(unit.toNanos(time), latch::await);
            default -> throw new IllegalArgumentException("cannot wait for " + what);
        };
    }

    public static long awaitNanos(Condition condition, long nanos) throws InterruptedException {
        long begin = nanoTime();
        timed(nanos, condition::await);
        return nanos - (nanoTime() - begin);
    }

    public static boolean tryLock(Lock lock, long time, TimeUnit unit) throws InterruptedException {
        return lock.tryLock() || timed(unit.toNanos(time), lock::lockInterruptibly);
    }

    public static <T> T poll(BlockingQueue<T> queue, long time, TimeUnit unit)
            throws InterruptedException {
        Holder<T> holder = new Holder<>();
        timed(unit.toNanos(time), () -> holder.value = queue.take());
        return holder.value;
    }

    /** Holds the result of a wait. */
    private static final class Holder<T> {
        private T value;
        private ExecutionException failure;
    }

    public static <T> T get(Future<T> future, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        Holder<T> holder = new Holder<>();
        boolean inTime =
                future.isDone()
                        || timed(
                                unit.toNanos(time),
                                () -> {
                                    try {
                                        future.get();
                                    } catch (ExecutionException e) {
                                        holder.failure = e;
                                    }
                                });
        if (!inTime) {
            throw new TimeoutException();
        }
        return future.get();
    }

    public static boolean awaitTermination(ExecutorService executor, long time, TimeUnit unit)
            throws InterruptedException {
        return executor.isTerminated()
                || timed(
                        unit.toNanos(time),
                        () -> {
                            while (!executor.awaitTermination(
                                    Long.MAX_VALUE, TimeUnit.NANOSECONDS)) {
                                // That is 292 years.
                            }
                        });
    }

    public static boolean join(Thread thread, Duration time) throws InterruptedException {
        return !thread.isAlive() || timed(time.toNanos(), thread::join);
    }

    public static void join(Thread thread, long millis) throws InterruptedException {
        if (thread.isAlive()) {
            timed(millis == 0 ? Long.MAX_VALUE : millis * 1_000_000, thread::join);
        }
    }

    public static <T> CompletableFuture<T> orTimeout(
            CompletableFuture<T> future, long time, TimeUnit unit) {
        Simulation simulation = Simulation.current();
        Simulation.Timer timer =
                simulation.after(
                        unit.toNanos(time),
                        () ->
                                simulation.start(
                                        "timeout",
                                        () ->
                                                future.completeExceptionally(
                                                        new TimeoutException())));
        future.whenComplete((result, failure) -> timer.cancel());
        return future;
    }

    public static CompletableFuture<Void> runAsync(Runnable task) {
        return CompletableFuture.runAsync(task, common());
    }

    public static <T> CompletableFuture<T> supplyAsync(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, common());
    }

    private static Executor common() {
        return SimulatedThreads::startVirtualThread;
    }

    public static ExecutorService newVirtualThreadPerTaskExecutor() {
        return Executors.newThreadPerTaskExecutor(threads());
    }

    private static ThreadFactory threads() {
        return SimulatedThreads.factory(SimulatedThreads.builder());
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor() {
        return new SimulatedScheduledExecutor(1, threads());
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor(ThreadFactory threads) {
        return new SimulatedScheduledExecutor(1, threads);
    }

    public static ScheduledExecutorService newScheduledThreadPool(
            int count, ThreadFactory threads) {
        return new SimulatedScheduledExecutor(count, threads);
    }

    public static void monitorEnter(Object object) {
        if (Simulation.isSimulated()) {
            Simulation.point();
            Simulation.current().monitors().enter(object);
        }
    }

    public static void monitorExit(Object object) {
        if (Simulation.isSimulated()) {
            Simulation.current().monitors().exit(object);
        }
    }

    public static void wait(Object object) throws InterruptedException {
        Simulation.current().monitors().await(object, Long.MAX_VALUE);
    }

    public static void wait(Object object, long millis) throws InterruptedException {
        Simulation.current()
                .monitors()
                .await(object, millis == 0 ? Long.MAX_VALUE : millis * 1_000_000);
    }

    public static void notify(Object object) {
        Simulation.current().monitors().wake(object, false);
    }

    public static void notifyAll(Object object) {
        Simulation.current().monitors().wake(object, true);
    }
}
