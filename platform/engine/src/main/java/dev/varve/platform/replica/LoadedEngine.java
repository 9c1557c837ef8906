package dev.varve.platform.replica;

import dev.varve.platform.engine.EngineCore;

import java.util.Objects;

/**
 * An engine of a pool.
 *
 * @param engine the engine; all engines of a pool have the same model and settings
 * @param owner closes the engine and frees its resources; closed once, by the pool
 */
public record LoadedEngine(EngineCore engine, AutoCloseable owner) {
    /** Checks that no component is null. */
    public LoadedEngine {
        Objects.requireNonNull(engine);
        Objects.requireNonNull(owner);
    }

    /** Opens the engine of a replica. */
    public interface Opener {
        /**
         * Loads the engine; may take long.
         *
         * @param replica number of the replica, from 0
         * @throws RuntimeException if it cannot be loaded
         */
        LoadedEngine open(int replica);
    }

    /** Closes the engine and frees its resources. */
    void close() {
        try {
            owner.close();
        } catch (Exception e) {
            System.getLogger("dev.varve.engine")
                    .log(System.Logger.Level.WARNING, "closing a replica failed", e);
        }
    }
}
