package dev.varve.platform.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets work end in order when the process is asked to stop by SIGINT or SIGTERM: calls {@code stop}
 * and then waits until the guard is closed by the thread that works. {@code stop} must only ask,
 * not wait.
 */
final class ShutdownGuard implements AutoCloseable {
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook;

    private ShutdownGuard(Runnable stop, Duration limit) {
        hook = new Thread(() -> stopAndWait(stop, limit), "varve-shutdown");
    }

    /** Guards nothing before {@link #arm}; a stop takes at most {@code limit}. */
    static ShutdownGuard prepare(Runnable stop, Duration limit) {
        return new ShutdownGuard(stop, limit);
    }

    /** Guards from now on until it is closed. */
    void arm() {
        Runtime.getRuntime().addShutdownHook(hook);
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
        } catch (IllegalStateException e) {
            // The process is stopping already, which is what the guard is for.
        }
    }
}
