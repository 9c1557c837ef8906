package dev.varve.platform.shard.lora;

import java.util.Objects;

/** A change of the adapters of a loaded shard. */
public sealed interface AdapterChange {
    /** Number of the adapter, from 0 on; its place in {@link LoraScales}. */
    int number();

    /**
     * Loads the matrices of an adapter for the layers of a shard. It replaces an adapter with the
     * same number. Sequences without a scale for the number compute as before.
     *
     * @param adapter its scale applies to sequences with {@link LoraScales#AS_LOADED}
     */
    record Add(int number, LoraAdapter adapter) implements AdapterChange {
        /** Checks the number. */
        public Add {
            requireNumber(number);
            Objects.requireNonNull(adapter);
        }
    }

    /** Frees the matrices of an adapter; no error if the shard does not have it. */
    record Remove(int number) implements AdapterChange {
        /** Checks the number. */
        public Remove {
            requireNumber(number);
        }
    }

    /** Most adapters of a model; numbers are below it. */
    int MOST = 256;

    private static void requireNumber(int number) {
        if (number < 0 || number >= MOST) {
            throw new IllegalArgumentException(
                    "number of an adapter: expected 0 to " + (MOST - 1) + ", found " + number);
        }
    }
}
