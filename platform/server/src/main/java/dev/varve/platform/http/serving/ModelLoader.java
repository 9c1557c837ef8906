package dev.varve.platform.http.serving;

import dev.varve.api.VarveException;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** The thread on which models are loaded and unloaded, one at a time. */
final class ModelLoader implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /**
     * How often models that nobody uses are looked for, in parts of the time that they are kept.
     */
    private static final int PARTS = 4;

    private static final long MOST_MILLIS = 10_000;

    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(
                    1, Thread.ofPlatform().daemon().name("varve-models").factory());

    /** Who loads at the moment; unloading is never interrupted. */
    private Optional<Thread> loading = Optional.empty();

    /**
     * @param unload unloads what nobody has used for long
     * @param idle how long that is; empty if never
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

    /** The next round comes whatever happened in this one. */
    private static void guarded(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "looking after models failed", e);
        }
    }

    /** Runs work behind all that was given before; nothing once this is closed. */
    void execute(Runnable work) {
        try {
            thread.execute(work);
        } catch (RejectedExecutionException e) {
            // The server ends.
        }
    }

    /**
     * Loads a model, and makes room for it as often as it needs more.
     *
     * @param makeRoom whether something was unloaded
     */
    RunningModel load(ModelSource source, BooleanSupplier makeRoom) {
        String id = source.outline().id();
        LOG.log(System.Logger.Level.INFO, "loading {0}", id);
        while (true) {
            try {
                return loadInterruptibly(source);
            } catch (VarveException e) {
                if (!LoadFailureResponses.isShortOfMemory(e) || !makeRoom.getAsBoolean()) {
                    throw told(id, e);
                }
            } catch (RuntimeException e) {
                throw told(id, e);
            }
        }
    }

    private RunningModel loadInterruptibly(ModelSource source) {
        setLoading(Optional.of(Thread.currentThread()));
        try {
            return source.load();
        } finally {
            setLoading(Optional.empty());
        }
    }

    private synchronized void setLoading(Optional<Thread> who) {
        loading = who;
        if (who.isEmpty()) {
            // It was meant for what was loaded.
            Thread.interrupted();
        }
    }

    private synchronized void interrupt() {
        loading.ifPresent(Thread::interrupt);
    }

    private static RuntimeException told(String id, RuntimeException reason) {
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} cannot be loaded: {1}",
                id,
                String.valueOf(reason.getMessage()));
        return reason;
    }

    /** Ends the thread; a model that is being loaded is given up as soon as that is possible. */
    @Override
    public void close() {
        thread.shutdown();
        interrupt();
        try {
            if (!thread.awaitTermination(MOST_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.log(System.Logger.Level.WARNING, "a model is still being loaded");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
