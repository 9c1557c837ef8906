package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.ApiException;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what an engine answers between two steps. */
final class EngineFutures {
    /** A step takes less, but an engine that waits for a lost shard takes none. */
    private static final int PATIENCE_SECONDS = 30;

    private EngineFutures() {}

    /**
     * The answer.
     *
     * @throws VarveException if the engine has one instead
     * @throws ApiException a 503 if it takes too long
     */
    static <T> T await(CompletableFuture<T> answer) throws InterruptedException {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw ApiException.status(
                    503,
                    "server_busy",
                    "the engine has taken no step for " + PATIENCE_SECONDS + " seconds");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof VarveException failure) {
                throw failure;
            }
            throw new IllegalStateException("the engine gave no answer", e);
        }
    }
}
