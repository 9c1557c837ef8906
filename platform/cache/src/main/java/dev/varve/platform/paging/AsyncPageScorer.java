package dev.varve.platform.paging;

import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Scores the pages of a sequence asynchronously, by reading its tokens. Thread-safe. */
public interface AsyncPageScorer extends AutoCloseable {
    /**
     * Starts to score; the same tokens result in the same scores.
     *
     * @param tokens of the sequence from its beginning, in the vocabulary of the served model; must
     *     not be modified afterwards
     * @param cancelled whether the scores are not needed any more; called by other threads
     * @return completes on another thread with a number for each page, higher is better, also for
     *     the last page, which may not be full; fails if no scores are available this time
     */
    CompletableFuture<float[]> read(int[] tokens, BooleanSupplier cancelled);

    /** Stops scoring. */
    @Override
    void close();
}
