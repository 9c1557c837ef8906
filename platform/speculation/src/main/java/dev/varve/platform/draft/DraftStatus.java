package dev.varve.platform.draft;

import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardTraffic;

/**
 * What a draft model in a process of its own is and did.
 *
 * @param device device and process
 * @param bytes that it holds
 * @param health whether it can guess
 * @param answers what it said so far
 * @param traffic what went over its connection
 */
public record DraftStatus(
        String device, long bytes, ShardHealth health, Answers answers, ShardTraffic traffic) {
    /**
     * What a draft model said.
     *
     * @param count steps for which it guessed
     * @param millis from the question to the answer, all together, the way there and back included
     * @param late steps that did not wait for it any longer
     */
    public record Answers(long count, double millis, long late) {}

    /** Whether it can guess at the moment. */
    public boolean isReady() {
        return health.state() == ShardHealth.State.READY;
    }
}
