package dev.varve.platform.http;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what another thread or process brings about without telling. */
final class Eventually {
    /** How long at most; what is asserted does not depend on it. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final long EVERY_MILLIS = 20;

    private Eventually() {}

    /** Looks now and then until the condition holds, and fails when it does not in time. */
    static void holds(String what, Callable<Boolean> condition) throws Exception {
        CompletableFuture<Void> held = new CompletableFuture<>();
        try (ScheduledExecutorService looks = Executors.newSingleThreadScheduledExecutor()) {
            looks.scheduleWithFixedDelay(
                    () -> look(condition, held), 0, EVERY_MILLIS, TimeUnit.MILLISECONDS);
            try {
                held.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                throw new AssertionError(what + ": not within " + LIMIT, e);
            } finally {
                looks.shutdownNow();
            }
        }
    }

    private static void look(Callable<Boolean> condition, CompletableFuture<Void> held) {
        try {
            if (condition.call()) {
                held.complete(null);
            }
        } catch (Exception e) {
            held.completeExceptionally(e);
        }
    }
}
