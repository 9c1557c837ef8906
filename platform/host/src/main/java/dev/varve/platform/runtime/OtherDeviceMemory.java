package dev.varve.platform.runtime;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.setting.ByteCount;

import java.util.Locale;
import java.util.Objects;

/**
 * Memory of the weights of a shard that another device holds.
 *
 * @param device the other device
 * @param memory name of its memory
 * @param need weights, and the results of their products
 * @param availableBytes free memory of the device
 */
public record OtherDeviceMemory(
        DeviceReference device, String memory, MemoryNeed need, long availableBytes) {
    /** Checks that nothing is missing. */
    public OtherDeviceMemory {
        Objects.requireNonNull(device);
        Objects.requireNonNull(memory);
        Objects.requireNonNull(need);
    }

    /** Returns the need of several shards, which may share one copy of the weights. */
    MemoryNeed needOfAll(int replicas) {
        return need.replicated(replicas, SplitMemoryPlan.sharesWeights(device));
    }

    /**
     * Returns one line for messages.
     *
     * @param shard the shard whose layers use the weights
     */
    public String describe(String shard) {
        return String.format(
                Locale.ROOT,
                "%s for %s: weights %s + compute %s = %s of %s free",
                device,
                shard,
                ByteCount.format(need.weightBytes()),
                ByteCount.format(need.computeBytes()),
                ByteCount.format(need.totalBytes()),
                ByteCount.format(availableBytes));
    }
}
