package dev.varve.api.transport;

import java.io.IOException;

/** Accepts connections. Any thread may call {@link #close}, which ends the wait. */
public interface Listener extends AutoCloseable {
    /**
     * Full address with scheme, as a client would name it, including a port that the system chose.
     */
    String address();

    /**
     * Waits for the next connection of a peer that may connect.
     *
     * @throws IOException if the listener was closed or broke
     */
    Connection accept() throws IOException;

    /**
     * Closes the listener: a blocked {@link #accept} fails with an {@link IOException}; accepted
     * connections stay open. A second call does nothing.
     */
    @Override
    void close();
}
