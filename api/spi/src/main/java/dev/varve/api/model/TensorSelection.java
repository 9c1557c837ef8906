package dev.varve.api.model;

import dev.varve.api.gguf.GgufTensor;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The weights that a shard of one layer range loads, each with its use. A tensor that is used in
 * two ways (a tied output head) has one entry per use and may be loaded twice.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public record TensorSelection(List<Entry> entries) {

    /** One weight in one use. */
    public record Entry(GgufTensor tensor, TensorUse use) {}

    /** Copies the entries. */
    public TensorSelection {
        entries = List.copyOf(entries);
    }

    /**
     * Collects the weights of a shard; adding the same tensor for the same use again has no effect.
     */
    public static final class Builder {
        private final Map<String, Entry> entries = new LinkedHashMap<>();

        /** Creates a builder without entries. */
        public Builder() {}

        /** Adds a weight. */
        public Builder add(GgufTensor tensor, TensorUse use) {
            entries.putIfAbsent(use + "/" + tensor.name(), new Entry(tensor, use));
            return this;
        }

        /** Returns the selection. */
        public TensorSelection build() {
            return new TensorSelection(new ArrayList<>(entries.values()));
        }
    }
}
