package dev.varve.platform.engine;

import java.time.Duration;

/** Generates tokens for many requests at once. Thread-safe. */
public interface Engine extends AutoCloseable {
    /**
     * Queues a request.
     *
     * @throws dev.varve.api.VarveException of kind CONTEXT_OVERFLOW if prompt and output exceed the
     *     context, OVERLOADED if the queue is full or the engine drains, INVALID_REQUEST if a token
     *     id is outside the vocabulary
     */
    Generation submit(GenerationRequest request, GenerationListener listener);

    /** Counters and gauges of this moment. Never waits for a step. */
    EngineStatus status();

    /**
     * Refuses new requests and waits for the others.
     *
     * @return whether all of them ended within {@code limit}
     */
    boolean drain(Duration limit);

    /** Cancels what runs and frees weights and caches. */
    @Override
    void close();
}
