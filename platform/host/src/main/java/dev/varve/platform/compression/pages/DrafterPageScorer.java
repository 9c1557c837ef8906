package dev.varve.platform.compression.pages;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Scores pages with a drafter, one history after the other on its own thread. Does not own the
 * drafter, which may score other texts in between.
 */
public final class DrafterPageScorer implements AsyncPageScorer {
    private static final System.Logger LOG = System.getLogger("dev.varve.pages");

    private final HistoryScorer scores;
    private final TokenMapping mapping;
    private final ExecutorService thread =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().name("varve-pages").daemon(true).factory());
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile boolean closed;

    /**
     * @param drafter its vocabulary may differ from the model's
     * @param model tokenizer of the scored sequences
     */
    public DrafterPageScorer(PrefillDrafter drafter, Tokenizer model) {
        scores = new HistoryScorer(drafter);
        mapping = TokenMapping.between(model, drafter.tokenizer());
    }

    @Override
    public CompletableFuture<float[]> read(int[] tokens, BooleanSupplier cancelled) {
        try {
            return CompletableFuture.supplyAsync(
                    () -> score(tokens, () -> closed || cancelled.getAsBoolean()), thread);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private float[] score(int[] tokens, BooleanSupplier cancelled) {
        if (cancelled.getAsBoolean()) {
            throw new CancellationException("the page selection was cancelled");
        }
        try {
            DrafterInput read = mapping.of(tokens);
            return read.means(scores.of(read.ids(), cancelled));
        } catch (CancellationException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            warnOnce(e);
            throw e;
        }
    }

    /** Logs a failure once: the next page selection would fail for the same reason. */
    private void warnOnce(Throwable reason) {
        if (closed || !warned.compareAndSet(false, true)) {
            return;
        }
        String text =
                "page selection failed: the prefill drafter cannot score the tokens, and pages stay"
                        + " in place until the next selection; later failures are not logged: "
                        + reason;
        if (reason instanceof VarveException) {
            LOG.log(System.Logger.Level.WARNING, text);
        } else {
            LOG.log(System.Logger.Level.WARNING, text, reason);
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.shutdown();
    }
}
