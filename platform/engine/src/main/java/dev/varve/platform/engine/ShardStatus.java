package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.RemoteShardProcess;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardTraffic;

import java.util.Objects;
import java.util.Optional;

/**
 * What a shard is and did.
 *
 * @param device device and process
 * @param range its layers
 * @param memory bytes that it holds
 * @param health whether it can compute
 * @param work what it computed so far
 * @param peer the process that it is in; empty for this one
 */
public record ShardStatus(
        String device,
        LayerRange range,
        ShardMemory memory,
        ShardHealth health,
        BatchEntry work,
        Optional<RemoteShardProcess> peer) {
    /** Checks that nothing is missing. */
    public ShardStatus {
        Objects.requireNonNull(peer);
    }

    /** A shard of whose process nothing is known. */
    public ShardStatus(
            String device,
            LayerRange range,
            ShardMemory memory,
            ShardHealth health,
            BatchEntry work) {
        this(device, range, memory, health, work, Optional.empty());
    }

    /**
     * What a shard computed.
     *
     * @param forwards batches
     * @param tokens tokens of these batches
     * @param forwardMillis time that they took, the way to the shard and back included
     * @param boundaryMillis of that, time to move activations in and out
     * @param traffic what went over its connection, for a shard in another process
     * @param recent what batches took lately
     */
    public record BatchEntry(
            long forwards,
            long tokens,
            double forwardMillis,
            double boundaryMillis,
            Optional<ShardTraffic> traffic,
            Recent recent) {
        /** Of which only the sums are known. */
        public BatchEntry(
                long forwards,
                long tokens,
                double forwardMillis,
                double boundaryMillis,
                Optional<ShardTraffic> traffic) {
            this(forwards, tokens, forwardMillis, boundaryMillis, traffic, Recent.NONE);
        }
    }

    /**
     * What batches took lately, about the last sixteen of each kind; 0 as long as there was none.
     *
     * @param decodeMillis of a batch of decode
     * @param prefillMillisPerToken of a token of a prompt
     */
    public record Recent(double decodeMillis, double prefillMillisPerToken) {
        static final Recent NONE = new Recent(0, 0);
    }

    /** Whether the shard can compute at the moment. */
    public boolean isReady() {
        return health.state() == ShardHealth.State.READY;
    }
}
