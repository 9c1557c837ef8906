package dev.varve.platform.intake;

import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;

import java.util.OptionalLong;

/**
 * One connection, and the time since which it keeps the server waiting. Requests begin and end on
 * their own threads; the monitor thread calls {@link #isStalled}.
 */
final class ClientConnection {
    private final Connection connection;
    private final ClientAddress client;
    private final boolean inExcess;
    private long requests;

    /**
     * Bytes that had arrived when the last request ended; later bytes belong to the next one. Empty
     * before the first request, whose time counts from the start of the connection.
     */
    private OptionalLong bytesInBefore = OptionalLong.empty();

    private long headerSince;
    private boolean inHeader;
    private long writeSince;
    private long bytesOutAtWrite;
    private boolean inWrite;

    ClientConnection(Connection connection, ClientAddress client, boolean inExcess) {
        this.connection = connection;
        this.client = client;
        this.inExcess = inExcess;
    }

    ClientAddress client() {
        return client;
    }

    /** Whether its client already had the allowed number of connections. */
    boolean isInExcess() {
        return inExcess;
    }

    synchronized void begin() {
        requests++;
        inHeader = false;
    }

    synchronized void end() {
        requests--;
        bytesInBefore = OptionalLong.of(connection.getBytesIn());
    }

    /** Whether the client takes too long to send its headers, or to receive data. */
    synchronized boolean isStalled(long now, ClientTimeouts timeouts) {
        watchHeader(now);
        watchWrite(now);
        return inHeader && now - headerSince > timeouts.header().toNanos()
                || inWrite && now - writeSince > timeouts.stalledWrite().toNanos();
    }

    void close() {
        connection.getEndPoint().close();
    }

    private void watchHeader(long now) {
        boolean waits =
                requests == 0
                        && (bytesInBefore.isEmpty()
                                || connection.getBytesIn() > bytesInBefore.getAsLong());
        if (waits && !inHeader) {
            headerSince = now;
        }
        inHeader = waits;
    }

    /** Tracks a pending write; its time restarts whenever bytes are sent. */
    private void watchWrite(long now) {
        boolean pending =
                connection.getEndPoint() instanceof AbstractEndPoint endPoint
                        && endPoint.getWriteFlusher().isPending();
        if (pending && !(inWrite && connection.getBytesOut() == bytesOutAtWrite)) {
            writeSince = now;
            bytesOutAtWrite = connection.getBytesOut();
        }
        inWrite = pending;
    }
}
