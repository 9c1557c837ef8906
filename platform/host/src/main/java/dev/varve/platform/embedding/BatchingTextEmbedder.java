package dev.varve.platform.embedding;

import dev.varve.api.VarveException;
import dev.varve.api.model.Pooling;
import dev.varve.platform.shard.TextBatchEncoder;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Encodes the texts of all requests in the order of their arrival, as many at once as fit a batch:
 * one platform thread computes, since native code would pin the carriers of virtual threads.
 */
public final class BatchingTextEmbedder implements TextEmbedder, AutoCloseable {
    /** Least tokens of a batch, if so many wait. */
    private static final int BATCH_TOKENS = 2048;

    /** Most texts of a batch, which bounds its operators. */
    private static final int BATCH_TEXTS = 256;

    private static final int MOST_WAITING = 1 << 15;

    /** Milliseconds between two checks whether a waiting caller has cancelled. */
    private static final long POLL_MILLIS = 200;

    private final TextBatchEncoder encoder;
    private final int maxTokens;
    private final PairTokens pairs;
    private final Deque<Request> queue = new ArrayDeque<>();
    private final Thread worker;
    private final LongAdder tokens = new LongAdder();
    private int waiting;
    private boolean closed;

    /** Texts of one caller. The lock of the embedder guards the counters. */
    private static final class Request {
        private final List<int[]> texts;

        /** Indices of the texts by length: batches of like lengths have few operators. */
        private final int[] order;

        private final float[][] results;
        private final CompletableFuture<float[][]> done = new CompletableFuture<>();
        private volatile boolean cancelled;
        private int taken;
        private int finished;

        Request(List<int[]> texts) {
            this.texts = texts;
            order =
                    IntStream.range(0, texts.size())
                            .boxed()
                            .sorted(Comparator.comparing(index -> texts.get(index).length))
                            .mapToInt(Integer::intValue)
                            .toArray();
            results = new float[texts.size()][];
        }

        int[] nextText() {
            return texts.get(order[taken]);
        }
    }

    /** A text of a request. */
    private record Entry(Request request, int index) {
        int[] text() {
            return request.texts.get(index);
        }
    }

    /**
     * @param encoder owned by this object from now on
     * @param maxTokens most tokens of a text
     */
    public BatchingTextEmbedder(TextBatchEncoder encoder, int maxTokens, PairTokens pairs) {
        this.encoder = encoder;
        this.maxTokens = maxTokens;
        this.pairs = pairs;
        worker = Thread.ofPlatform().daemon().name("varve-embedder").start(this::work);
    }

    @Override
    public Pooling pooling() {
        return encoder.pooling();
    }

    @Override
    public int width() {
        return encoder.width();
    }

    @Override
    public int maxTokens() {
        return maxTokens;
    }

    @Override
    public PairTokens pairs() {
        return pairs;
    }

    /** Bytes of the weights; 0 if they are those of a model that generates text. */
    public long weightBytes() {
        return encoder.weightBytes();
    }

    /** Number of tokens that were encoded. */
    public long encodedTokens() {
        return tokens.sum();
    }

    /** Number of texts that wait for a batch. */
    public synchronized int waiting() {
        return waiting;
    }

    /** Whether a request in the queue was cancelled, which the next batch leaves out. */
    synchronized boolean hasCancelled() {
        return queue.stream().anyMatch(request -> request.cancelled);
    }

    @Override
    public float[][] encode(List<int[]> texts, BooleanSupplier cancelled)
            throws InterruptedException {
        if (texts.isEmpty()) {
            return new float[0][];
        }
        Request request = new Request(List.copyOf(texts));
        add(request);
        try {
            while (true) {
                try {
                    return request.done.get(POLL_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException e) {
                    request.cancelled = cancelled.getAsBoolean();
                }
            }
        } catch (ExecutionException e) {
            throw rethrown(e);
        } finally {
            request.cancelled = true;
        }
    }

    private static RuntimeException rethrown(ExecutionException failure) {
        return switch (failure.getCause()) {
            case RuntimeException reason -> reason;
            case Error error -> throw error;
            default -> new IllegalStateException(failure.getCause());
        };
    }

    private synchronized void add(Request request) {
        if (closed) {
            throw unavailable();
        }
        if (waiting + request.texts.size() > MOST_WAITING) {
            throw new VarveException(
                    VarveException.Kind.OVERLOADED,
                    waiting + " texts wait for the model; at most " + MOST_WAITING + " may");
        }
        waiting += request.texts.size();
        queue.add(request);
        notifyAll();
    }

    private static VarveException unavailable() {
        return new VarveException(VarveException.Kind.UNAVAILABLE, "the model is being closed");
    }

    private void work() {
        try {
            while (true) {
                compute(next());
            }
        } catch (InterruptedException e) {
            // It is closed.
        }
    }

    private void compute(List<Entry> batch) {
        try {
            float[][] results =
                    encoder.encode(
                            batch.stream().map(Entry::text).toList(),
                            () -> batch.stream().allMatch(entry -> entry.request().cancelled));
            batch.forEach(entry -> tokens.add(entry.text().length));
            finish(batch, results);
        } catch (RuntimeException | Error e) {
            batch.forEach(entry -> entry.request().done.completeExceptionally(e));
        }
    }

    private synchronized void finish(List<Entry> batch, float[][] results) {
        for (int i = 0; i < results.length; i++) {
            Request request = batch.get(i).request();
            request.results[batch.get(i).index()] = results[i];
            if (++request.finished == request.texts.size()) {
                request.done.complete(request.results);
            }
        }
    }

    /** Waits for texts and takes those of the next batch. */
    private synchronized List<Entry> next() throws InterruptedException {
        List<Entry> batch = new ArrayList<>();
        while (batch.isEmpty()) {
            while (queue.isEmpty()) {
                wait();
            }
            take(batch);
        }
        return batch;
    }

    private void take(List<Entry> batch) {
        int most = Math.max(BATCH_TOKENS, maxTokens);
        int tokens = 0;
        while (!queue.isEmpty() && batch.size() < BATCH_TEXTS) {
            Request request = queue.peek();
            if (request.cancelled || request.done.isDone()) {
                request.done.completeExceptionally(
                        new CancellationException("the encoding of texts was cancelled"));
                waiting -= request.texts.size() - request.taken;
                queue.remove();
                continue;
            }
            tokens += request.nextText().length;
            if (tokens > most && !batch.isEmpty()) {
                return;
            }
            batch.add(new Entry(request, request.order[request.taken++]));
            waiting--;
            if (request.taken == request.texts.size()) {
                queue.remove();
            }
        }
    }

    /** Ends the current batch at its next part; waiting texts fail. */
    @Override
    public void close() {
        List<Request> rest;
        synchronized (this) {
            closed = true;
            rest = List.copyOf(queue);
            queue.clear();
        }
        rest.forEach(request -> request.done.completeExceptionally(unavailable()));
        // Refuses further parts, and waits for the current one before it frees the memory.
        encoder.close();
        worker.interrupt();
    }
}
