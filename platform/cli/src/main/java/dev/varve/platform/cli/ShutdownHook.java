package dev.varve.platform.cli;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends work in order when the process is asked to stop by SIGINT or SIGTERM: calls {@code stop} and
 * then waits until the guard is closed by the thread that works. {@code stop} must not wait.
 */
final class ShutdownHook implements AutoCloseable {
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook;
    private final Optional<StopSignals> signals;

    private ShutdownHook(Runnable stop, Duration limit, Optional<StopSignals> signals) {
        hook = new Thread(() -> stopAndWait(stop, limit), "varve-shutdown");
        this.signals = signals;
    }

    /** Returns a guard that is inactive before {@link #arm}; a stop takes at most {@code limit}. */
    static ShutdownHook prepare(Runnable stop, Duration limit) {
        return new ShutdownHook(stop, limit, Optional.empty());
    }

    /**
     * Like {@link #prepare(Runnable, Duration)}; a second signal hurries the stop, and a third one
     * ends the process at once.
     *
     * @param hurry must not wait
     */
    static ShutdownHook prepare(Runnable stop, Duration limit, Runnable hurry) {
        return new ShutdownHook(
                stop, limit, Optional.of(new StopSignals(StopSignals.Reactions.of(hurry))));
    }

    /** Activates the guard until it is closed. */
    void arm() {
        Runtime.getRuntime().addShutdownHook(hook);
        signals.ifPresent(StopSignals::install);
    }

    private void stopAndWait(Runnable stop, Duration limit) {
        stop.run();
        try {
            finished.await(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        finished.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
            signals.ifPresent(StopSignals::close);
        } catch (IllegalStateException e) {
            // The process is already stopping, so the hook is not needed.
        }
    }
}
