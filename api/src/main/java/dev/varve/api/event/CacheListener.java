package dev.varve.api.event;

import java.util.List;

/** Hears what a server has of computed prompts. Called by one thread, which may wait. */
public interface CacheListener extends AutoCloseable {
    /**
     * Some things have happened, in this order.
     *
     * @param events at least one
     */
    void heard(List<CacheEvent> events);

    /** Nothing more happens. Never fails. */
    @Override
    void close();
}
