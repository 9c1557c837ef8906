package dev.varve.platform.draft;

import dev.varve.api.ggml.Graph;

/** A recorded graph that can be computed once it has memory. Writes all of its inputs each time. */
interface DraftGraph extends AutoCloseable {
    /** Its operators. */
    Graph graph();

    @Override
    void close();
}
