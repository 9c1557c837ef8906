package dev.varve.api.snapshot;

import java.util.Locale;

/**
 * Sizes of a store, fixed when it is created.
 *
 * @param keyBytes bytes of every key
 * @param valueBytes bytes of every value
 * @param values maximum number of values
 */
public record StoreSize(int keyBytes, int valueBytes, long values) {
    /** Checks that all of them are positive. */
    public StoreSize {
        if (keyBytes < 1 || valueBytes < 1 || values < 1) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "invalid size of a store: %d values of %d bytes with keys of %d bytes",
                            values,
                            valueBytes,
                            keyBytes));
        }
    }

    /** Bytes of all values. */
    public long bytes() {
        return values * valueBytes;
    }
}
