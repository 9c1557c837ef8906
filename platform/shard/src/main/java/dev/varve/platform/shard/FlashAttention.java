package dev.varve.platform.shard;

/** Whether attention runs as one operator that never holds all scores at once. */
public enum FlashAttention {
    /** Where the device has it for the model's heads and cache types. */
    AUTO,
    /** Always; a device without it is refused. */
    ON,
    /** Never: scores, softmax and values one after the other. */
    OFF
}
