package dev.varve.platform.replica;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Closes and loads failed and drained replicas on its own thread, one at a time. */
final class ReplicaRestarter implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");
    private static final Duration CLOSE_REPORT = Duration.ofSeconds(10);

    private final Duration firstPause;
    private final Duration longestPause;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("varve-replicas").factory());

    /**
     * @param firstPause pause after a failed attempt; each further one is twice as long
     * @param longestPause upper limit of the pauses
     */
    ReplicaRestarter(Duration firstPause, Duration longestPause) {
        this.firstPause = firstPause;
        this.longestPause = longestPause;
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Repeats an attempt until it succeeds, with pauses in between. Does nothing after a close.
     *
     * @param failures failures before the first attempt; they delay it, so that a replica that
     *     fails soon after each load is loaded rarely
     */
    void retryUntilSuccess(BooleanSupplier attempt, int failures) {
        long pause = failures == 0 ? 0 : pauseMillis(failures);
        schedule(
                () -> {
                    if (!succeeds(attempt)) {
                        retryUntilSuccess(attempt, failures + 1);
                    }
                },
                pause);
    }

    private static boolean succeeds(BooleanSupplier attempt) {
        try {
            return attempt.getAsBoolean();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "restarting a replica failed", e);
            return false;
        }
    }

    private long pauseMillis(int failures) {
        long factor = 1L << Math.min(failures - 1, 20);
        return Math.min(longestPause.toMillis(), firstPause.toMillis() * factor);
    }

    /** Runs work on the thread, after the attempts that were started before. */
    void execute(Runnable work) {
        schedule(work, 0);
    }

    private void schedule(Runnable work, long millis) {
        try {
            thread.schedule(work, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // The pool is closing.
        }
    }

    /** Ends the thread after its current attempt. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            while (!thread.awaitTermination(CLOSE_REPORT.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.INFO, "waiting until a replica is loaded");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
