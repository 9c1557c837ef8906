package dev.varve.platform.runtime;

import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheCapacities;

import java.util.Locale;
import java.util.Objects;

/**
 * Memory plan of a model on a device, computed before anything is loaded.
 *
 * @param contextTokens most tokens of one sequence
 * @param capacities sizes of the caches
 * @param need bytes of the parts
 * @param availableBytes free memory of the device
 */
public record MemoryPlan(
        int contextTokens, CacheCapacities capacities, MemoryNeed need, long availableBytes) {
    /** End of the message for a model that is too large, with advice. */
    static final String DOES_NOT_FIT =
            "; it does not fit. Use a smaller quantisation, "
                    + Setting.CONTEXT_TOKENS
                    + ", "
                    + Setting.PARALLEL
                    + " or "
                    + Setting.CACHE_TYPES
                    + " q8_0";

    /** Checks that nothing is missing. */
    public MemoryPlan {
        Objects.requireNonNull(capacities);
        Objects.requireNonNull(need);
    }

    /** Returns one line for messages: the parts, their sum and the free memory. */
    public String describe(String device) {
        return String.format(
                Locale.ROOT,
                "%s: weights %s + KV %s (%d tokens) + states %s + compute %s = %s of %s free",
                device,
                ByteCount.format(need.weightBytes()),
                ByteCount.format(need.kvBytes()),
                capacities.slots(),
                ByteCount.format(need.stateBytes()),
                ByteCount.format(need.computeBytes()),
                ByteCount.format(need.totalBytes()),
                ByteCount.format(availableBytes));
    }
}
