package dev.varve.conformance;

import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.shard.PagePoolSizing;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/** Scores pages by a meaningless function of their tokens, on another thread. */
class HashedPages implements AsyncPageScorer {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    @Override
    public CompletableFuture<float[]> read(int[] tokens, BooleanSupplier cancelled) {
        return CompletableFuture.supplyAsync(() -> scores(tokens), thread);
    }

    static float[] scores(int[] tokens) {
        float[] scores = new float[PagePoolSizing.pages(tokens.length)];
        int all = Arrays.hashCode(tokens);
        for (int page = 0; page < scores.length; page++) {
            int hash =
                    31 * all + tokens[page * PagePoolSizing.PAGE] * 0x9E3779B9 + page * 0x85EBCA6B;
            scores[page] = (hash >>> 8) / (float) (1 << 24);
        }
        return scores;
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
