package dev.varve.platform.draft;

import dev.varve.api.ggml.Graph;

/**
 * A recorded graph that can be computed after it was allocated. Writes all of its inputs each time.
 */
interface DraftGraph extends AutoCloseable {
    /** Its operators. */
    Graph graph();

    @Override
    void close();
}
