package dev.varve.platform.http.serving;

/** A model that a server can load. Thread-safe. */
public interface ModelSource {
    /** What is known of it; the same at every call. */
    ModelOutline outline();

    /** Tells this file from another one that took its place, such as time and length. */
    String stamp();

    /**
     * Loads it, however long that takes. Called by one thread at a time, for all sources of a
     * server.
     *
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if it does not fit beside what is
     *     loaded, of others if it cannot be used
     * @throws IllegalArgumentException if settings contradict each other
     */
    RunningModel load();
}
