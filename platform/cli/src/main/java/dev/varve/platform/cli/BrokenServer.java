package dev.varve.platform.cli;

import dev.varve.api.VarveException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What becomes of a server whose engine can do no more work: {@code /health} tells why for a
 * moment, so that who watches it learns of it, and the process ends with status {@value #STATUS}.
 */
final class BrokenServer {
    /** Exit status. */
    static final int STATUS = 1;

    private static final Duration LINGER = Duration.ofSeconds(4);

    /** A device that failed may not even let go of its memory in order. */
    private static final Duration LIMIT = Duration.ofSeconds(8);

    private BrokenServer() {}

    /**
     * Waits until the server is asked to stop or an engine is broken.
     *
     * @param broken completes when an engine is
     * @return whether the engine is broken; the process ends soon in that case, in order or not
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
                .execute(() -> Runtime.getRuntime().halt(STATUS));
        return true;
    }

    /** Lets clients hear of it, unless the server is asked to stop meanwhile. */
    static void linger(CountDownLatch stop) throws InterruptedException {
        stop.await(LINGER.toMillis(), TimeUnit.MILLISECONDS);
    }
}
