package dev.varve.api.transport;

import java.io.IOException;

/** Waits for connections. {@link #close} may be called from any thread and ends the wait. */
public interface Listener extends AutoCloseable {
    /** Full address with scheme, as a server would name it; ports chosen by the system included. */
    String address();

    /**
     * Waits for the next connection of a peer that may connect.
     *
     * @throws IOException if the listener was closed or broke
     */
    Connection accept() throws IOException;

    /**
     * Ends whoever waits in {@link #accept} with an {@link IOException}; connections live on. A
     * second call does nothing.
     */
    @Override
    void close();
}
