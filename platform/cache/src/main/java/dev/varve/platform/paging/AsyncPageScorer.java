package dev.varve.platform.paging;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * Reads the tokens of a sequence to say which of its pages matter for what comes next, and takes
 * its time for that. Thread-safe.
 */
public interface AsyncPageScorer extends AutoCloseable {
    /**
     * Begins to read; the same tokens have the same scores.
     *
     * @param tokens of the sequence from its beginning, in the model's tokens; not changed
     *     afterwards
     * @param cancelled whether nobody waits for the scores any more; asked from other threads
     * @return completes on another thread with a number for each page, also for the last one that
     *     may not be full, higher is better; fails if there is no telling this time
     */
    CompletableFuture<float[]> read(int[] tokens, BooleanSupplier cancelled);

    /** Reads nothing more. */
    @Override
    void close();
}
