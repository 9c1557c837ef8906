package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.digest.Sha256;
import dev.varve.platform.shard.ImportanceScorer;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Prefill drafter from a model file, on any device. Reads one text at a time; other callers wait in
 * order.
 */
final class FilePrefillDrafter implements PrefillDrafter {
    /** Milliseconds between two checks whether a waiting caller has cancelled. */
    private static final long POLL_MILLIS = 200;

    private final Tokenizer tokenizer;
    private final String identity;
    private final ImportanceScorer reader;
    private final ReentrantLock turn = new ReentrantLock(true);
    private volatile boolean closed;

    /**
     * @param model the whole model
     * @param reader computes it; owned by this object from now on
     * @param options how the model scores
     */
    FilePrefillDrafter(
            ModelRange model,
            Tokenizer tokenizer,
            ImportanceScorer reader,
            LayerMajorImportanceScorer.ScoringOptions options) {
        this.tokenizer = tokenizer;
        this.reader = reader;
        identity = identity(model, options);
    }

    private static String identity(
            ModelRange model, LayerMajorImportanceScorer.ScoringOptions options) {
        MessageDigest digest = Sha256.begin();
        ModelFingerprint.add(digest, model.file());
        String variant = model.model().contextVariant().map(name -> " " + name).orElse("");
        return HexFormat.of().formatHex(digest.digest()) + " " + options + variant;
    }

    @Override
    public Tokenizer tokenizer() {
        return tokenizer;
    }

    @Override
    public String identity() {
        return identity;
    }

    /**
     * Returns the additional bytes of this process's memory for reading a text, without the graph
     * of a chunk.
     *
     * @param tokens length of the text
     */
    long readingBytes(int tokens) {
        return reader.readingBytes(tokens);
    }

    @Override
    public float[] score(int[] tokens, BooleanSupplier cancelled) {
        await(cancelled);
        try {
            requireOpen();
            return read(tokens, cancelled);
        } catch (CancellationException e) {
            if (!cancelled.getAsBoolean()) {
                requireOpen();
            }
            throw e;
        } finally {
            turn.unlock();
        }
    }

    /**
     * Reads on a separate platform thread: native code would pin the carrier of a virtual thread,
     * and with a single core no other request would be answered meanwhile. The calling thread polls
     * for cancellation.
     */
    private float[] read(int[] tokens, BooleanSupplier cancelled) {
        AtomicBoolean end = new AtomicBoolean();
        CompletableFuture<float[]> scores = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .name("varve-drafter")
                .start(
                        () -> {
                            try {
                                scores.complete(reader.read(tokens, () -> closed || end.get()));
                            } catch (RuntimeException | Error e) {
                                scores.completeExceptionally(e);
                            }
                        });
        while (!isDone(scores)) {
            if (cancelled.getAsBoolean()) {
                end.set(true);
            }
        }
        try {
            return scores.join();
        } catch (CompletionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                default -> throw e;
            }
        }
    }

    /**
     * Waits for a short time. An interrupted caller waits until the end, since it holds the reader
     * until then.
     */
    private static boolean isDone(CompletableFuture<float[]> scores) {
        try {
            scores.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            return true;
        } catch (InterruptedException e) {
            scores.handle((done, failure) -> true).join();
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private void await(BooleanSupplier cancelled) {
        try {
            while (!turn.tryLock(POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                if (cancelled.getAsBoolean()) {
                    throw new CancellationException("the scoring of the text was cancelled");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while waiting for the drafter");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new VarveException(VarveException.Kind.UNAVAILABLE, "the drafter is closed");
        }
    }

    /** Cancels the current text, and waits for its end. */
    @Override
    public void close() {
        closed = true;
        turn.lock();
        try {
            reader.close();
        } finally {
            turn.unlock();
        }
    }
}
