package dev.varve.platform.embedding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.Pooling;
import dev.varve.platform.shard.TextBatchEncoder;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

@Timeout(60)
class BatchingTextEmbedderTest {
    /** Vectors are the first token; waits for a permit before each batch. */
    private static final class Gated implements TextBatchEncoder {
        private final Semaphore permits = new Semaphore(0);
        private final List<Integer> batches = Collections.synchronizedList(new ArrayList<>());
        private volatile boolean closed;
        private volatile boolean fails;

        @Override
        public Pooling pooling() {
            return Pooling.MEAN;
        }

        @Override
        public int width() {
            return 1;
        }

        @Override
        public long weightBytes() {
            return 1;
        }

        @Override
        public float[][] encode(List<int[]> texts, BooleanSupplier cancelled) {
            batches.add(texts.size());
            permits.acquireUninterruptibly();
            if (closed || fails) {
                throw new VarveException(VarveException.Kind.UNAVAILABLE, "gone");
            }
            return texts.stream().map(text -> new float[] {text[0]}).toArray(float[][]::new);
        }

        @Override
        public void close() {
            closed = true;
            permits.release(1000);
        }
    }

    private final Gated encoder = new Gated();
    private final BatchingTextEmbedder embedder = new BatchingTextEmbedder(encoder, 100, null);

    @AfterEach
    void close() {
        embedder.close();
    }

    private static List<int[]> texts(int first, int count, int length) {
        return IntStream.range(first, first + count)
                .mapToObj(
                        id -> {
                            int[] text = new int[length];
                            text[0] = id;
                            return text;
                        })
                .toList();
    }

    private CompletableFuture<float[][]> start(List<int[]> texts, BooleanSupplier cancelled) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return embedder.encode(texts, cancelled);
                    } catch (InterruptedException e) {
                        throw new CancellationException();
                    }
                },
                Thread::startVirtualThread);
    }

    private CompletableFuture<float[][]> start(List<int[]> texts) {
        return start(texts, () -> false);
    }

    @Test
    void requestsThatWaitShareABatch() {
        CompletableFuture<float[][]> first = start(texts(1, 1, 5));
        Await.until("a batch", () -> encoder.batches.size() == 1);
        CompletableFuture<float[][]> second = start(texts(2, 3, 5));
        Await.until("waiting texts", () -> embedder.waiting() == 3);
        CompletableFuture<float[][]> third = start(texts(5, 2, 5));
        Await.until("waiting texts", () -> embedder.waiting() == 5);

        encoder.permits.release(2);

        assertArrayEquals(new float[] {1}, first.join()[0]);
        assertArrayEquals(new float[] {4}, second.join()[2]);
        assertArrayEquals(new float[] {6}, third.join()[1]);
        assertEquals(List.of(1, 5), encoder.batches);
        assertEquals(30, embedder.encodedTokens());
    }

    @Test
    void batchesHaveLimits() {
        encoder.permits.release(100);

        float[][] results = start(texts(0, 150, 50)).join();

        assertEquals(149, results[149][0]);
        // 2048 tokens, of 50 each.
        assertEquals(List.of(40, 40, 40, 30), encoder.batches);
        assertEquals(0, embedder.waiting());
    }

    @Test
    void cancelledRequestLeavesTheQueue() {
        CompletableFuture<float[][]> running = start(texts(1, 1, 5));
        Await.until("a batch", () -> encoder.batches.size() == 1);
        CompletableFuture<float[][]> cancelled = start(texts(2, 3, 5), () -> true);
        Await.until("waiting texts", () -> embedder.waiting() == 3);

        // The caller notices it while the first batch computes.
        CompletableFuture<Void> poll =
                CompletableFuture.runAsync(() -> Await.until("cancelled", embedder::hasCancelled));
        poll.join();
        encoder.permits.release(1);

        running.join();
        assertThrows(CompletionException.class, cancelled::join);
        Await.until("waiting texts", () -> embedder.waiting() == 0);
        assertEquals(List.of(1), encoder.batches);
    }

    @Test
    void failureEndsTheRequestsOfTheBatchOnly() {
        encoder.fails = true;
        encoder.permits.release(1);
        CompletableFuture<float[][]> failing = start(texts(1, 1, 5));
        assertThrows(CompletionException.class, failing::join);
        encoder.fails = false;
        encoder.permits.release(1);

        assertEquals(7, start(texts(7, 1, 5)).join()[0][0]);
    }

    @Test
    void tooManyTextsAreRefused() {
        VarveException thrown =
                assertThrows(
                        VarveException.class,
                        () -> embedder.encode(texts(0, 40_000, 1), () -> false));

        assertEquals(VarveException.Kind.OVERLOADED, thrown.kind());
    }

    @Test
    void closingEndsWaitingRequests() {
        CompletableFuture<float[][]> running = start(texts(1, 1, 5));
        Await.until("a batch", () -> encoder.batches.size() == 1);
        CompletableFuture<float[][]> waiting = start(texts(2, 1, 5));
        Await.until("waiting texts", () -> embedder.waiting() == 1);

        embedder.close();

        assertThrows(CompletionException.class, running::join);
        assertThrows(CompletionException.class, waiting::join);
        VarveException thrown =
                assertThrows(
                        VarveException.class, () -> embedder.encode(texts(3, 1, 1), () -> false));
        assertEquals(VarveException.Kind.UNAVAILABLE, thrown.kind());
        assertTrue(encoder.closed);
    }
}
