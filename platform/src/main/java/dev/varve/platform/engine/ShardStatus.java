package dev.varve.platform.engine;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardTraffic;

import java.util.Optional;

/**
 * What a shard is and did.
 *
 * @param device device and process
 * @param range its layers
 * @param memory bytes that it holds
 * @param health whether it can compute
 * @param work what it computed so far
 */
public record ShardStatus(
        String device, LayerRange range, ShardMemory memory, ShardHealth health, Work work) {
    /**
     * What a shard computed.
     *
     * @param forwards batches
     * @param tokens tokens of these batches
     * @param forwardMillis time that they took, the way to the shard and back included
     * @param boundaryMillis of that, time to move activations in and out
     * @param traffic what went over its connection, for a shard in another process
     */
    public record Work(
            long forwards,
            long tokens,
            double forwardMillis,
            double boundaryMillis,
            Optional<ShardTraffic> traffic) {}

    /** Whether the shard can compute at the moment. */
    public boolean isReady() {
        return health.state() == ShardHealth.State.READY;
    }
}
