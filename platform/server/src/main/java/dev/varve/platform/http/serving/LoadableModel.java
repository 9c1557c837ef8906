package dev.varve.platform.http.serving;

/** A model that a server can load. Thread-safe. */
public interface LoadableModel {
    /** Returns facts about the model; the same at every call. */
    ModelOutline outline();

    /** Returns a stamp that differs if the file was replaced, such as time and length. */
    String stamp();

    /**
     * Loads the model; may take long. Called by one thread at a time, for all sources of a server.
     *
     * @throws dev.varve.api.VarveException of kind OUT_OF_MEMORY if it does not fit beside the
     *     loaded models, of other kinds if it cannot be used
     * @throws IllegalArgumentException if settings contradict each other
     */
    RunningModel load();
}
