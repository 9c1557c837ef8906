package dev.varve.platform.shard.lora;

import java.util.ArrayList;
import java.util.List;

/**
 * The scales with which the adapters of a model apply to the tokens of a sequence.
 *
 * @param values scale of each adapter in their order; empty for the scales with which the adapters
 *     were loaded
 */
public record LoraScales(List<Float> values) {
    /** The scales with which the adapters were loaded; also for a model without adapters. */
    public static final LoraScales AS_LOADED = new LoraScales(List.of());

    /**
     * Copies the scales, with 0 for a negative zero: equal scales compute equal values.
     *
     * @throws IllegalArgumentException if a scale is not finite
     */
    public LoraScales {
        List<Float> copied = new ArrayList<>(values.size());
        for (float value : values) {
            if (!Float.isFinite(value)) {
                throw new IllegalArgumentException(
                        "scale of adapter "
                                + copied.size()
                                + ": expected a finite number, found "
                                + value);
            }
            copied.add(value == 0 ? 0f : value);
        }
        values = List.copyOf(copied);
    }

    /** Returns these scales, as {@link #AS_LOADED} if the adapters were loaded with them. */
    public static LoraScales of(List<Float> values, List<Float> loaded) {
        LoraScales scales = new LoraScales(values);
        return scales.equals(new LoraScales(loaded)) ? AS_LOADED : scales;
    }

    /** Whether the scales are those with which the adapters were loaded. */
    public boolean areAsLoaded() {
        return values.isEmpty();
    }

    /**
     * Returns the scale of an adapter.
     *
     * @param loaded scale with which it was loaded
     */
    float of(int adapter, float loaded) {
        return values.isEmpty() ? loaded : values.get(adapter);
    }
}
