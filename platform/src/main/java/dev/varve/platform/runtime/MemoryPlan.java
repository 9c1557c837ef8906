package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.setting.Setting;

import java.util.Locale;

/**
 * The memory that a model will need on a device, worked out before anything is loaded.
 *
 * @param contextTokens most tokens of one sequence
 * @param slots slots of the KV pool
 * @param stateRows state rows: recurrent states and window regions
 * @param regionSlots slots of one state row's region for the sliding layers; 0 where none slides
 * @param weightBytes weights, mapped or copied
 * @param kvBytes KV pool
 * @param stateBytes recurrent states and window regions
 * @param computeBytes compute buffers, estimated from above
 * @param availableBytes what the device has free
 */
public record MemoryPlan(
        int contextTokens,
        int slots,
        int stateRows,
        int regionSlots,
        long weightBytes,
        long kvBytes,
        long stateBytes,
        long computeBytes,
        long availableBytes) {
    /** End of a message about a model that is too large, with what helps. */
    static final String DOES_NOT_FIT =
            "; it does not fit. Use a smaller quantisation, "
                    + Setting.CONTEXT_TOKENS
                    + ", "
                    + Setting.PARALLEL
                    + " or "
                    + Setting.CACHE_TYPES
                    + " q8_0";

    /**
     * Works out the plan; a KV pool of default size shrinks to what is free, down to one context.
     *
     * @throws VarveException of kind OUT_OF_MEMORY with the sums if it does not fit,
     *     INVALID_REQUEST if a setting contradicts the model
     */
    static MemoryPlan of(
            LayerSplitAdapter model,
            LayerRange range,
            ComputeDevice device,
            ModelSettings settings) {
        RangeMemory memory = RangeMemory.of(model, range, device.info(), settings);
        long available = device.info().memoryFreeBytes();
        int slots =
                RangeMemory.slots(
                        settings,
                        RangeMemory.contextTokens(model.shape(), settings),
                        memory.affordableSlots(available));
        MemoryPlan plan = memory.plan(model.shape(), settings, slots, available);
        plan.requireFits(device.info().name());
        return plan;
    }

    /** Bytes of all parts. */
    public long totalBytes() {
        return weightBytes + kvBytes + stateBytes + computeBytes;
    }

    private void requireFits(String device) {
        if (totalBytes() > availableBytes) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY, describe(device) + DOES_NOT_FIT);
        }
    }

    /** One line for people: the parts, their sum and what is free. */
    public String describe(String device) {
        return String.format(
                Locale.ROOT,
                "%s: weights %s + KV %s (%d tokens) + states %s + compute %s = %s of %s free",
                device,
                mebibytes(weightBytes),
                mebibytes(kvBytes),
                slots,
                mebibytes(stateBytes),
                mebibytes(computeBytes),
                mebibytes(totalBytes()),
                mebibytes(availableBytes));
    }

    static String mebibytes(long bytes) {
        return String.format(Locale.ROOT, "%.1f MiB", bytes / (1024.0 * 1024.0));
    }
}
