package dev.varve.platform.runtime;

import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheSizes;

import java.util.Locale;
import java.util.Objects;

/**
 * The memory that a model will need on a device, worked out before anything is loaded.
 *
 * @param contextTokens most tokens of one sequence
 * @param sizes how much state the caches hold
 * @param need bytes of the parts
 * @param availableBytes what the device has free
 */
public record MemoryPlan(
        int contextTokens, CacheSizes sizes, MemoryNeed need, long availableBytes) {
    /** End of a message about a model that is too large, with what helps. */
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
        Objects.requireNonNull(sizes);
        Objects.requireNonNull(need);
    }

    /** One line for people: the parts, their sum and what is free. */
    public String describe(String device) {
        return String.format(
                Locale.ROOT,
                "%s: weights %s + KV %s (%d tokens) + states %s + compute %s = %s of %s free",
                device,
                mebibytes(need.weightBytes()),
                mebibytes(need.kvBytes()),
                sizes.slots(),
                mebibytes(need.stateBytes()),
                mebibytes(need.computeBytes()),
                mebibytes(need.totalBytes()),
                mebibytes(availableBytes));
    }

    static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / (1024.0 * 1024.0));
    }
}
