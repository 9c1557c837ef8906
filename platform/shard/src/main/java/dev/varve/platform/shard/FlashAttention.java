package dev.varve.platform.shard;

/** Whether attention runs as one operator that never stores all scores at once. */
public enum FlashAttention {
    /** On if the device supports it for the model's heads and cache types. */
    AUTO,
    /** Always on; a device without support is rejected. */
    ON,
    /** Off: scores, softmax and values are computed one after the other. */
    OFF
}
