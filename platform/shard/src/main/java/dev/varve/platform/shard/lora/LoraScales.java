package dev.varve.platform.shard.lora;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The scales with which the adapters of a model apply to the tokens of a sequence.
 *
 * @param values scale of each adapter by its number, 0 for those behind the end; empty for the
 *     scales with which the adapters were loaded
 * @param contents digest of the content of each adapter that was added while the model ran and
 *     whose scale is not 0, by its number, an empty text for the others; empty if there are none.
 *     Shards do not need it; cached sequences of different adapters differ by it
 */
public record LoraScales(List<Float> values, List<String> contents) {
    /** The scales with which the adapters were loaded; also for a model without adapters. */
    public static final LoraScales AS_LOADED = new LoraScales(List.of());

    /**
     * Copies the scales, with 0 for a negative zero: equal scales compute equal values.
     *
     * @throws IllegalArgumentException if a scale is not finite, or there is a content without a
     *     scale
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
        contents = used(values, contents);
    }

    /** Creates scales of adapters that were loaded with the model. */
    public LoraScales(List<Float> values) {
        this(values, List.of());
    }

    /** Returns the contents of adapters that are used, without empty ones at the end. */
    private static List<String> used(List<Float> values, List<String> contents) {
        List<String> used = new ArrayList<>();
        for (int number = 0; number < contents.size(); number++) {
            boolean counts = number < values.size() && values.get(number) != 0;
            String content = counts ? contents.get(number) : "";
            if (!content.isEmpty()) {
                used.addAll(Collections.nCopies(number - used.size(), ""));
                used.add(content);
            }
        }
        return List.copyOf(used);
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
    public float of(int adapter, float loaded) {
        if (values.isEmpty()) {
            return loaded;
        }
        return adapter < values.size() ? values.get(adapter) : 0;
    }

    /** Returns the digest of an adapter's content; empty if it was loaded with the model. */
    public String content(int adapter) {
        return adapter < contents.size() ? contents.get(adapter) : "";
    }
}
