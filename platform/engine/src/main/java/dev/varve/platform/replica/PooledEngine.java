package dev.varve.platform.replica;

import dev.varve.platform.engine.Scheduler;

import java.util.Objects;

/**
 * An engine of a pool.
 *
 * @param engine computes; all engines of a pool have the same model and settings
 * @param owner frees it, and ends it before that; closed once, by the pool
 */
public record PooledEngine(Scheduler engine, AutoCloseable owner) {
    /** Checks that nothing is missing. */
    public PooledEngine {
        Objects.requireNonNull(engine);
        Objects.requireNonNull(owner);
    }

    /** Opens the engine of a replica. */
    public interface Opener {
        /**
         * Loads it; may take long.
         *
         * @param replica its number, from 0
         * @throws RuntimeException if it cannot be loaded
         */
        PooledEngine open(int replica);
    }

    /** Ends the engine and frees what belongs to it. */
    void close() {
        try {
            owner.close();
        } catch (Exception e) {
            System.getLogger("dev.varve.engine")
                    .log(System.Logger.Level.WARNING, "a replica did not close in order", e);
        }
    }
}
