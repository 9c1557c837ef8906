package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.GraphCounts;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;

import java.util.Objects;
import java.util.Optional;

/**
 * Status and counters of a shard.
 *
 * @param device device and process
 * @param range its layers
 * @param memory bytes that it holds
 * @param health whether it can compute
 * @param work counters of its batches
 * @param peer its process; empty for this one
 */
public record ShardStatus(
        String device,
        LayerRange range,
        ShardMemory memory,
        ShardHealth health,
        ForwardTotals work,
        Optional<RemoteProcessInfo> peer) {
    /** Checks that {@code peer} is not null. */
    public ShardStatus {
        Objects.requireNonNull(peer);
    }

    /** Creates the status of a shard without a known process. */
    public ShardStatus(
            String device,
            LayerRange range,
            ShardMemory memory,
            ShardHealth health,
            ForwardTotals work) {
        this(device, range, memory, health, work, Optional.empty());
    }

    /**
     * Counters of the batches of a shard.
     *
     * @param forwards batches
     * @param tokens tokens of these batches
     * @param forwardMillis time of these batches, the transfer to the shard and back included
     * @param boundaryMillis of that, time to move activations in and out
     * @param graphs graphs that were recorded and reused for its batches
     * @param experts experts that were found in memory and read from the file
     * @param traffic traffic of its connection, for a shard in another process
     * @param recent durations of recent batches
     */
    public record ForwardTotals(
            long forwards,
            long tokens,
            double forwardMillis,
            double boundaryMillis,
            GraphCounts graphs,
            ExpertCounts experts,
            Optional<RemoteConnectionTraffic> traffic,
            Recent recent) {
        /** Creates counters without graphs and recent durations. */
        public ForwardTotals(
                long forwards,
                long tokens,
                double forwardMillis,
                double boundaryMillis,
                Optional<RemoteConnectionTraffic> traffic) {
            this(
                    forwards,
                    tokens,
                    forwardMillis,
                    boundaryMillis,
                    GraphCounts.NONE,
                    ExpertCounts.NONE,
                    traffic,
                    Recent.NONE);
        }
    }

    /**
     * Average durations of about the last sixteen batches of each phase; 0 before the first one.
     *
     * @param decodeMillis time of a decode batch
     * @param prefillMillisPerToken time of a prompt token
     */
    public record Recent(double decodeMillis, double prefillMillisPerToken) {
        static final Recent NONE = new Recent(0, 0);
    }

    /** Returns whether the shard can compute at the moment. */
    public boolean isReady() {
        return health.state() == ShardHealth.State.READY;
    }
}
