package dev.varve.platform.http.serving;

import dev.varve.api.VarveException;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Loads and unloads models on one thread, one at a time. */
final class ModelLoader implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /** Number of checks for idle models per idle time-to-live. */
    private static final int PARTS = 4;

    private static final long MOST_MILLIS = 10_000;

    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("varve-models").factory());

    /** The thread while it loads a model; unloading is never interrupted. */
    private Optional<Thread> loading = Optional.empty();

    /**
     * @param unload unloads idle models
     * @param idle idle time-to-live; empty for none
     */
    ModelLoader(Runnable unload, Optional<Duration> idle) {
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        idle.ifPresent(
                time -> {
                    long millis = Math.clamp(time.toMillis() / PARTS, 1, MOST_MILLIS);
                    thread.scheduleWithFixedDelay(
                            () -> guarded(unload), millis, millis, TimeUnit.MILLISECONDS);
                });
    }

    /** Runs work and logs a failure, so that the next scheduled run still takes place. */
    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the check for idle models failed", e);
        }
    }

    /** Runs work after all earlier work; does nothing once this is closed. */
    void execute(Runnable work) {
        try {
            thread.execute(work);
        } catch (RejectedExecutionException e) {
            // The server is closing.
        }
    }

    /**
     * Loads a model, and unloads others while it lacks memory.
     *
     * @param makeRoom unloads a model; returns whether it unloaded one
     */
    RunningModel load(LoadableModel source, BooleanSupplier makeRoom) {
        String id = source.outline().id();
        LOG.log(System.Logger.Level.INFO, "loading model {0}", id);
        while (true) {
            try {
                return loadInterruptibly(source);
            } catch (VarveException e) {
                if (!LoadFailureResponses.isShortOfMemory(e) || !makeRoom.getAsBoolean()) {
                    throw logged(id, e);
                }
            } catch (RuntimeException e) {
                throw logged(id, e);
            }
        }
    }

    private RunningModel loadInterruptibly(LoadableModel source) {
        setLoading(Optional.of(Thread.currentThread()));
        try {
            return source.load();
        } finally {
            setLoading(Optional.empty());
        }
    }

    private synchronized void setLoading(Optional<Thread> loader) {
        loading = loader;
        if (loader.isEmpty()) {
            // The interrupt was meant for the load that ended.
            Thread.interrupted();
        }
    }

    private synchronized void interrupt() {
        loading.ifPresent(Thread::interrupt);
    }

    private static RuntimeException logged(String id, RuntimeException reason) {
        LOG.log(
                System.Logger.Level.WARNING,
                "model {0} cannot be loaded: {1}",
                id,
                String.valueOf(reason.getMessage()));
        return reason;
    }

    /** Ends the thread; a load in progress is interrupted. */
    @Override
    public void close() {
        thread.shutdown();
        interrupt();
        try {
            if (!thread.awaitTermination(MOST_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "a model is still loading while the server shuts down");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
