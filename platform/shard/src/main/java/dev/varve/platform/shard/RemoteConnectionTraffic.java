package dev.varve.platform.shard;

/**
 * Bytes sent over the connection to a shard in another process, since the server started.
 *
 * @param sentBytes to the shard, payloads in shared memory included
 * @param receivedBytes from the shard, payloads in shared memory included
 * @param payloads transport of large payloads
 */
public record RemoteConnectionTraffic(long sentBytes, long receivedBytes, PayloadPath payloads) {
    /** Transport of large payloads. */
    public enum PayloadPath {
        /** Through memory that both processes map. */
        SHARED,
        /** Through the connection itself. */
        STREAM
    }

    /** Returns the sum of both, with the payload transport of the later one. */
    public RemoteConnectionTraffic plus(RemoteConnectionTraffic later) {
        return new RemoteConnectionTraffic(
                sentBytes + later.sentBytes, receivedBytes + later.receivedBytes, later.payloads);
    }
}
