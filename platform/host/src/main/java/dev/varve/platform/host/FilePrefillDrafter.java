package dev.varve.platform.host;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.compression.PrefillDrafter;
import dev.varve.platform.shard.TextScorer;
import dev.varve.platform.shard.local.LayerwiseTextScorer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
 * A drafter of a model file, wherever it computes. Reads one text at a time; others wait in their
 * order.
 */
final class FilePrefillDrafter implements PrefillDrafter {
    /** How often who waits looks whether anybody waits for it. */
    private static final long LOOK_MILLIS = 200;

    private final Tokenizer tokenizer;
    private final String identity;
    private final TextScorer reader;
    private final ReentrantLock turn = new ReentrantLock(true);
    private volatile boolean closed;

    /**
     * @param reader the file's model; this object's from now on
     * @param look how that one reads
     */
    FilePrefillDrafter(
            GgufFile file, Tokenizer tokenizer, TextScorer reader, LayerwiseTextScorer.Look look) {
        this.tokenizer = tokenizer;
        this.reader = reader;
        identity = identity(file, look);
    }

    private static String identity(GgufFile file, LayerwiseTextScorer.Look look) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            ModelFingerprint.add(digest, file);
            return HexFormat.of().formatHex(digest.digest()) + " " + look;
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
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
     * Bytes of this process's memory that reading a text takes beside what stays there, but for the
     * graph of a chunk.
     *
     * @param tokens of the text
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
     * Reads on a thread of its own: native code would hold the carrier of a virtual one, and with a
     * single core nobody else would be answered meanwhile. The caller's looks after who waits.
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
     * Waits a while; who is interrupted waits to the end, since the reader is theirs until then.
     */
    private static boolean isDone(CompletableFuture<float[]> scores) {
        try {
            scores.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
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
            while (!turn.tryLock(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                if (cancelled.getAsBoolean()) {
                    throw new CancellationException("nobody waits for the text's scores");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while others had the drafter");
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new VarveException(VarveException.Kind.UNAVAILABLE, "the drafter is closed");
        }
    }

    /** Ends what is read, and waits for that. */
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
