package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.prefix.CacheEntry;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Generates tokens for many requests at once. Thread-safe. */
public interface Engine extends AutoCloseable {
    /** A request and who hears of it. */
    record Submission(GenerationRequest request, GenerationListener listener) {}

    /**
     * Queues requests, all or none. Those of one prompt compute it once, if they are queued at
     * once.
     *
     * @return one entry for each, in their order
     * @throws dev.varve.api.VarveException of kind CONTEXT_OVERFLOW if prompt and output exceed the
     *     context, OVERLOADED if the queue is full, UNAVAILABLE if the engine drains or is broken,
     *     INVALID_REQUEST if a token id is outside the vocabulary
     */
    List<Generation> submit(List<Submission> submissions);

    /** Queues one request. */
    default Generation submit(GenerationRequest request, GenerationListener listener) {
        return submit(List.of(new Submission(request, listener))).getFirst();
    }

    /** Counters and gauges of this moment. Never waits for a step. */
    EngineStatus status();

    /**
     * The positions that host memory can restore, most recently used first; completes between two
     * steps.
     */
    CompletableFuture<List<CacheEntry>> cacheEntries();

    /**
     * Forgets all that was computed for requests that have ended, on the devices and in host
     * memory; completes between two steps.
     */
    CompletableFuture<Void> clearCache();

    /**
     * Completes, with the reason, when the engine can do no more work and nothing but a new start
     * helps. Requests are told at the same time; new ones are refused.
     */
    CompletableFuture<VarveException> broken();

    /**
     * Refuses new requests and waits for the others.
     *
     * @return whether all of them ended within {@code limit}
     */
    boolean drain(Duration limit);

    /**
     * Cancels what runs and frees weights and caches; waits for the step under way, however long it
     * takes.
     */
    @Override
    void close();
}
