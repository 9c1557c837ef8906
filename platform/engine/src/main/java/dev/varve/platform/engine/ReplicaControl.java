package dev.varve.platform.engine;

import java.util.concurrent.CompletableFuture;

/** Drains and resumes replicas of a model for an operator. Thread-safe. */
public interface ReplicaControl {
    /** Returns the number of replicas, whose numbers count from 0. */
    int count();

    /**
     * Moves the requests of a replica to the others, after its current step, and closes its engine,
     * which frees its memory. The replica gets no requests until it is resumed. While no other
     * replica accepts requests, those that it has continue there first.
     *
     * @param replica its number; a drained replica stays as it is
     * @return completes when the engine is closed; fails with a VarveException of kind UNAVAILABLE
     *     if the model is closed before that
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if there is no such replica,
     *     UNAVAILABLE if no other one accepts requests
     */
    CompletableFuture<Void> drain(int replica);

    /**
     * Loads a drained replica again. If that fails, it is tried again after pauses.
     *
     * @param replica its number; a replica that is not drained stays as it is
     * @return completes when the replica accepts requests; fails with a VarveException if the first
     *     attempt to load it failed
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if there is no such replica,
     *     UNAVAILABLE if its drain has not ended
     */
    CompletableFuture<Void> resume(int replica);
}
