package dev.varve.fleet;

/**
 * Counts and times of a simulated fleet.
 *
 * @param policy how requests were routed
 * @param replicas number of replicas
 * @param counts numbers of requests and failures
 * @param seconds simulated time until the last request ended
 * @param firstTokenMillis times to the first token in ms
 * @param tokenMillis times per further output token in ms, one value per request
 * @param hitRate share of prompt tokens that were cached or restored, between 0 and 1
 * @param tokensPerReplicaSecond tokens of prompts and responses that ended, per second and replica
 * @param queue queued requests at the replica that got a request
 * @param scaling what grows with the fleet
 */
public record FleetResult(
        RoutingPolicy policy,
        int replicas,
        Counts counts,
        double seconds,
        Percentiles firstTokenMillis,
        Percentiles tokenMillis,
        double hitRate,
        double tokensPerReplicaSecond,
        Queue queue,
        Scaling scaling) {

    /**
     * Numbers of requests and failures.
     *
     * @param finished requests that ended with their response
     * @param rejected requests that all replicas refused, their queues being full
     * @param moved how often a request moved from a failed replica
     * @param failures failed replicas
     * @param handedOff prompts that other replicas computed
     * @param restored prefixes that came from the store
     */
    public record Counts(
            long finished,
            long rejected,
            long moved,
            long failures,
            long handedOff,
            long restored) {}

    /**
     * Percentiles by nearest rank.
     *
     * @param p50 the median
     * @param p95 95 % are at most this
     * @param p99 99 % are at most this
     */
    public record Percentiles(double p50, double p95, double p99) {
        static Percentiles millis(Histogram nanos) {
            return new Percentiles(
                    nanos.percentile(50) / 1e6,
                    nanos.percentile(95) / 1e6,
                    nanos.percentile(99) / 1e6);
        }
    }

    /**
     * Queued requests at the replica of a request when it arrives.
     *
     * @param mean their mean number
     * @param p95 95 % are at most this
     */
    public record Queue(double mean, double p95) {}

    /**
     * Quantities that grow with the fleet.
     *
     * @param blockEventsPerSecond stored and removed blocks of 256 tokens in the caches of all
     *     replicas
     * @param indexBlocks most blocks of 32 tokens in the router's estimates
     * @param storeBytesPerSecond bytes from and to the shared store
     */
    public record Scaling(
            double blockEventsPerSecond, long indexBlocks, double storeBytesPerSecond) {
        /** Entry of a hash map in order of use, its key, and its slot, with 4-byte references. */
        private static final long BYTES_PER_BLOCK = 40 + 24 + 8;

        /** Returns the memory of the router's estimates in bytes. */
        public long indexBytes() {
            return indexBlocks * BYTES_PER_BLOCK;
        }
    }
}
