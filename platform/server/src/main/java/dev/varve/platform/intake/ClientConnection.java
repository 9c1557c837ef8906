package dev.varve.platform.intake;

import org.eclipse.jetty.io.AbstractEndPoint;
import org.eclipse.jetty.io.Connection;

import java.util.OptionalLong;

/**
 * One connection, and since when it keeps the server waiting. Requests begin and end on threads of
 * their own, {@link #isStalled} is asked by the thread that watches.
 */
final class ClientConnection {
    private final Connection connection;
    private final ClientAddress client;
    private final boolean inExcess;
    private long requests;

    /**
     * Bytes that had come when the last request ended; what came since begins the next one. Empty
     * before the first, which is waited for from the beginning.
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

    /** Whether its client already had all the connections that it may have. */
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

    /** Whether the client takes longer than it may for its headers, or for what it is sent. */
    synchronized boolean isStalled(long now, ClientTimeouts pace) {
        watchHeader(now);
        watchWrite(now);
        return inHeader && now - headerSince > pace.header().toNanos()
                || inWrite && now - writeSince > pace.stalledWrite().toNanos();
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

    /** A write that is still pending with nothing more sent than when it was first seen. */
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
