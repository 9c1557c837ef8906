package dev.varve.platform.shard;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerState;

import java.util.Objects;

/**
 * Types and lengths of the K and V rows of an attention layer.
 *
 * @param key type of K rows
 * @param keyLength elements of a K row, all heads
 * @param value type of V rows
 * @param valueLength elements of a V row, all heads
 */
public record RowLayout(GgmlType key, long keyLength, GgmlType value, long valueLength) {
    /** Checks the types and lengths. */
    public RowLayout {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        if (keyLength < 1 || valueLength < 1) {
            throw new IllegalArgumentException(
                    "the lengths of K and V rows must be positive, got "
                            + keyLength
                            + " and "
                            + valueLength);
        }
    }

    /** Creates the layout of a layer with the given cache types. */
    public static RowLayout of(LayerState.Attention layer, CacheTypes types) {
        return new RowLayout(
                types.key(),
                (long) layer.keyLength() * layer.kvHeads(),
                types.value(),
                (long) layer.valueLength() * layer.kvHeads());
    }

    /** Bytes of a K row. */
    public long keyBytes() {
        return key.rowBytes(keyLength);
    }

    /** Bytes of a V row. */
    public long valueBytes() {
        return value.rowBytes(valueLength);
    }

    /** Bytes of a number of K and V rows. */
    public long bytes(int rows) {
        return Math.multiplyExact(Math.addExact(keyBytes(), valueBytes()), (long) rows);
    }

    @Override
    public String toString() {
        return key.ggufName() + "[" + keyLength + "]/" + value.ggufName() + "[" + valueLength + "]";
    }
}
