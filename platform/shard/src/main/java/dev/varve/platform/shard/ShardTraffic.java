package dev.varve.platform.shard;

/**
 * What went over the connection to a shard in another process, since the server started.
 *
 * @param sentBytes to the shard, payloads in shared memory included
 * @param receivedBytes from the shard, likewise
 * @param payloads how large payloads travel
 */
public record ShardTraffic(long sentBytes, long receivedBytes, Payloads payloads) {
    /** How large payloads travel. */
    public enum Payloads {
        /** Through memory that both processes map. */
        SHARED,
        /** Through the connection itself. */
        STREAM
    }

    /** Both together, with the payloads of the later one. */
    public ShardTraffic plus(ShardTraffic later) {
        return new ShardTraffic(
                sentBytes + later.sentBytes, receivedBytes + later.receivedBytes, later.payloads);
    }
}
