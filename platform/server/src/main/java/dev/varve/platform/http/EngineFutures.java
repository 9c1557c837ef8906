package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.ApiException;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for results that an engine delivers between two steps. */
final class EngineFutures {
    /** Longer than a step; an engine that waits for a lost shard runs no steps. */
    private static final int TIMEOUT_SECONDS = 30;

    private EngineFutures() {}

    /**
     * Returns the result.
     *
     * @throws VarveException if the engine failed with one
     * @throws ApiException a 503 if it takes too long
     */
    static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw ApiException.status(
                    503,
                    "server_busy",
                    "the engine has completed no step for " + TIMEOUT_SECONDS + " seconds");
        } catch (ExecutionException e) {
            throw cause(e);
        }
    }

    /**
     * Waits until a future completes, at most for a given time.
     *
     * @return whether it completed in this time
     * @throws VarveException if the engine failed with one
     */
    static boolean awaitAtMost(CompletableFuture<?> end, Duration limit)
            throws InterruptedException {
        try {
            end.get(limit.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw cause(e);
        }
    }

    private static RuntimeException cause(ExecutionException failure) {
        return failure.getCause() instanceof VarveException cause
                ? cause
                : new IllegalStateException("the engine returned no result", failure);
    }
}
