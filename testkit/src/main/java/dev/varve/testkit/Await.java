package dev.varve.testkit;

import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Waits in tests for events, never for a fixed time. An event that does not happen within the limit
 * fails the test, and the message names the event. The limit is far above any real duration, so
 * that a slow machine changes no result; on one with forty busy processes, {@code varve.test.limit}
 * gives more seconds.
 */
public final class Await {
    /** Limit of each wait. */
    public static final Duration LIMIT =
            Duration.ofSeconds(Integer.getInteger("varve.test.limit", 30));

    /** Interval at which a condition without notification is polled. */
    private static final long LOOK_NANOS = 1_000_000;

    private Await() {}

    /**
     * Returns the result of a future.
     *
     * @throws RuntimeException the exception with which it failed
     */
    public static <T> T result(Future<T> future) {
        try {
            return future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            switch (unwrapped(e)) {
                case RuntimeException known -> throw known;
                case Error known -> throw known;
                case Throwable other -> throw new AssertionError(other);
            }
        } catch (InterruptedException | TimeoutException e) {
            throw nothing("no result", e);
        }
    }

    /** Returns the exception with which a future fails. */
    public static Throwable failure(CompletableFuture<?> future) {
        try {
            Object result = future.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            throw new AssertionError("expected a failure, got " + result);
        } catch (ExecutionException e) {
            return unwrapped(e);
        } catch (InterruptedException | TimeoutException e) {
            throw nothing("no failure", e);
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        boolean wrapped =
                failure instanceof ExecutionException || failure instanceof CompletionException;
        return wrapped && failure.getCause() != null ? unwrapped(failure.getCause()) : failure;
    }

    /** Waits for a latch. */
    public static void latch(CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("after " + LIMIT + " the latch is at " + latch.getCount());
            }
        } catch (InterruptedException e) {
            throw nothing("no latch", e);
        }
    }

    /**
     * Returns the next element of a queue, and waits for it.
     *
     * @param what it is, for the message
     */
    public static <T> T next(BlockingQueue<T> queue, String what) {
        try {
            T next = queue.poll(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            if (next == null) {
                throw new AssertionError("no " + what + " within " + LIMIT);
            }
            return next;
        } catch (InterruptedException e) {
            throw nothing("no " + what, e);
        }
    }

    /**
     * Waits until a condition without notification holds.
     *
     * @param what the condition, for the message
     */
    public static void until(String what, Callable<Boolean> condition) {
        value(what, condition, so -> so);
    }

    /**
     * Polls a value until it is as expected, and returns it.
     *
     * @param what the expectation, for the message
     */
    public static <T> T value(String what, Callable<T> look, Predicate<T> expected) {
        long begin = System.nanoTime();
        T found = look(what, look);
        while (!expected.test(found)) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new AssertionError(what + ": after " + LIMIT + " found " + found);
            }
            LockSupport.parkNanos(LOOK_NANOS);
            found = look(what, look);
        }
        return found;
    }

    private static <T> T look(String what, Callable<T> look) {
        try {
            return look.call();
        } catch (RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            throw nothing(what + ": interrupted", e);
        } catch (Exception e) {
            throw new AssertionError(what + " cannot be determined", e);
        }
    }

    private static AssertionError nothing(String what, Exception cause) {
        if (cause instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return new AssertionError(what + " within " + LIMIT, cause);
    }
}
