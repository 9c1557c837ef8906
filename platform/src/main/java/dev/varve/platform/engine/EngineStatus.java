package dev.varve.platform.engine;

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
 * @param steps forward passes so far
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
        long steps) {}
