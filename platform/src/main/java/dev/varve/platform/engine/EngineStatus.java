package dev.varve.platform.engine;

import java.util.List;

/**
 * Counters and gauges of the engine.
 *
 * @param contextTokens most tokens of one sequence, prompt and output
 * @param parallel most sequences decoded together
 * @param waiting requests in the queue
 * @param running requests in prefill or decode
 * @param kvTokensTotal token slots of the KV pool
 * @param kvTokensUsed slots that running sequences hold
 * @param kvTokensResident slots that finished sequences hold until their room is needed
 * @param weightBytes bytes of weights, mapped files included
 * @param mappedWeightBytes of these, bytes that are mapped from the file
 * @param kvBytes bytes of KV pools and recurrent states
 * @param computeBytes bytes of compute buffers
 * @param promptTokens prompt tokens taken in so far
 * @param cachedPromptTokens of these, tokens that needed no prefill
 * @param generatedTokens tokens generated so far
 * @param preemptions sequences that were put back to the queue for want of room
 * @param replays sequences that were computed again because a shard was lost
 * @param steps forward passes so far
 * @param shards the shards in layer order
 */
public record EngineStatus(
        int contextTokens,
        int parallel,
        int waiting,
        int running,
        long kvTokensTotal,
        long kvTokensUsed,
        long kvTokensResident,
        long weightBytes,
        long mappedWeightBytes,
        long kvBytes,
        long computeBytes,
        long promptTokens,
        long cachedPromptTokens,
        long generatedTokens,
        long preemptions,
        long replays,
        long steps,
        List<ShardStatus> shards) {
    public EngineStatus {
        shards = List.copyOf(shards);
    }

    /** Shards that cannot compute at the moment. */
    public List<ShardStatus> missingShards() {
        return shards.stream().filter(shard -> !shard.isReady()).toList();
    }

    EngineStatus withShards(List<ShardStatus> current) {
        return new EngineStatus(
                contextTokens,
                parallel,
                waiting,
                running,
                kvTokensTotal,
                kvTokensUsed,
                kvTokensResident,
                weightBytes,
                mappedWeightBytes,
                kvBytes,
                computeBytes,
                promptTokens,
                cachedPromptTokens,
                generatedTokens,
                preemptions,
                replays,
                steps,
                current);
    }
}
