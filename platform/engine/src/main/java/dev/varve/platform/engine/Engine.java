package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.shard.lora.AdapterChange;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Generates tokens for many requests at once. Thread-safe. */
public interface Engine extends AutoCloseable {
    /** A request and its listener. */
    record NewRequest(GenerationRequest request, GenerationListener listener) {}

    /**
     * Queues requests, all or none. Requests with the same prompt compute it once if they are
     * queued together.
     *
     * @return one entry per request, in the same order
     * @throws dev.varve.api.VarveException of kind CONTEXT_OVERFLOW if prompt and output exceed the
     *     context, OVERLOADED if the queue is full, UNAVAILABLE if the engine drains or is broken,
     *     INVALID_REQUEST if a token id is outside the vocabulary
     */
    List<GenerationHandle> submit(List<NewRequest> submissions);

    /** Queues one request. */
    default GenerationHandle submit(GenerationRequest request, GenerationListener listener) {
        return submit(List.of(new NewRequest(request, listener))).getFirst();
    }

    /** Returns the control of the replicas that share the requests; empty for a single engine. */
    default Optional<ReplicaControl> replicaControl() {
        return Optional.empty();
    }

    /** Returns the current counters and gauges. Never waits for a step. */
    EngineStatus status();

    /**
     * Returns the positions that host memory can restore, most recently used first; completes
     * between two steps.
     */
    CompletableFuture<List<CachedPrefixInfo>> cacheEntries();

    /**
     * Clears the cached prefixes of ended requests, on the devices, in host memory, on disk and in
     * the shared store. Starts between two steps; completes when the stores have been cleared.
     */
    CompletableFuture<Void> clearCache();

    /**
     * Copies the prefixes computed so far to host memory, between two steps; completes when they
     * are in the shared store. An engine without one has nothing to save.
     */
    default CompletableFuture<Void> saveCache() {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Adds or removes a LoRA adapter in all shards, between two steps. If one shard refuses an
     * adapter, none keeps it. The caller removes an adapter only after the last request that uses
     * it.
     *
     * @return fails with a VarveException whose message names the shard that refuses
     */
    default CompletableFuture<Void> adapt(AdapterChange change) {
        return CompletableFuture.failedFuture(
                new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        "the adapters of this model cannot be changed"));
    }

    /**
     * Completes with the reason when the engine has failed and must be restarted. Its requests fail
     * or move to another replica at the same time; new ones are rejected.
     */
    CompletableFuture<VarveException> broken();

    /**
     * Rejects new requests and waits for the accepted ones.
     *
     * @return whether all of them ended within {@code limit}
     */
    boolean drain(Duration limit);

    /**
     * Cancels all requests and frees weights and caches; waits for the current step, however long
     * it takes.
     */
    @Override
    void close();
}
