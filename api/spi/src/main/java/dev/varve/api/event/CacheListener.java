package dev.varve.api.event;

import java.util.List;

/** Receives the events of a server's prefix cache. One thread calls it; calls may block. */
public interface CacheListener extends AutoCloseable {
    /**
     * Publishes events, in the order in which they happened.
     *
     * @param events at least one
     */
    void heard(List<CacheEvent> events);

    /** Stops publishing. No event follows. Never fails. */
    @Override
    void close();
}
