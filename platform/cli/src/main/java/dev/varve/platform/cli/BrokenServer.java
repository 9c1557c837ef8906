package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a server whose engine has failed: {@code /health} reports the reason for a moment, so that
 * monitors see it, and the process exits with status 1.
 */
final class BrokenServer {
    private static final Duration READ_TIME = Duration.ofSeconds(4);

    /** Time until the process is halted, since a failed device may not free its memory in order. */
    private static final Duration LIMIT = Duration.ofSeconds(8);

    private BrokenServer() {}

    /**
     * Waits until the server is asked to stop or an engine fails.
     *
     * @param broken completes when an engine fails
     * @return whether an engine failed; in that case the process is halted soon if it does not end
     *     by itself
     */
    static boolean await(CompletableFuture<VarveException> broken, CountDownLatch stop)
            throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        broken.thenRun(end::countDown);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                stop.await();
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                            }
                            end.countDown();
                        });
        end.await();
        if (!broken.isDone()) {
            return false;
        }
        CompletableFuture.delayedExecutor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .execute(() -> Runtime.getRuntime().halt(ExitStatus.FAILURE.code()));
        return true;
    }

    /**
     * Keeps the server running for a moment so that clients can read the reason, unless the server
     * is asked to stop meanwhile.
     */
    static void awaitReaders(CountDownLatch stop) throws InterruptedException {
        stop.await(READ_TIME.toMillis(), TimeUnit.MILLISECONDS);
    }
}
