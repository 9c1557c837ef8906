package dev.varve.platform.draft;

import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.ShardHealth;

/**
 * Status of a draft model in another process.
 *
 * @param device device and process
 * @param bytes that it holds
 * @param health whether it can draft
 * @param responses counts of its responses
 * @param traffic bytes over its connection
 */
public record RemoteDraftStatus(
        String device,
        long bytes,
        ShardHealth health,
        Responses responses,
        RemoteConnectionTraffic traffic) {
    /**
     * Counts of a draft model's responses.
     *
     * @param count number of steps for which it drafted
     * @param millis total time from request to response, including the transfer in both directions
     * @param late number of steps that stopped waiting for it
     */
    public record Responses(long count, double millis, long late) {}

    /** Whether it can draft at the moment. */
    public boolean isReady() {
        return health.state() == ShardHealth.State.READY;
    }
}
