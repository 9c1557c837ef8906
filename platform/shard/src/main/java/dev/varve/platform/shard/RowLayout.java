package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerState;
import dev.varve.platform.setting.Setting;

import java.util.Objects;

/**
 * Types and lengths of the K and V rows of an attention layer.
 *
 * @param key type of K rows
 * @param keyLength elements of a K row, all heads
 * @param value type of V rows
 * @param valueLength elements of a V row, all heads; 0 if V rows are in the K rows
 */
public record RowLayout(GgmlType key, long keyLength, GgmlType value, long valueLength) {
    /** Checks the types and lengths. */
    public RowLayout {
        Objects.requireNonNull(key);
        Objects.requireNonNull(value);
        if (keyLength < 1 || valueLength < 0) {
            throw new IllegalArgumentException(
                    "the lengths of K and V rows must be positive, V also 0, got "
                            + keyLength
                            + " and "
                            + valueLength);
        }
        if (valueLength == 0 && value != key) {
            throw new IllegalArgumentException(
                    "V rows in K rows must have their type, got " + key + " and " + value);
        }
    }

    /**
     * Creates the layout of a layer with the given cache types.
     *
     * @throws VarveException of kind INVALID_REQUEST if rows are not whole blocks of their type
     */
    public static RowLayout of(LayerState.Attention layer, CacheTypes types) {
        long keyLength = (long) layer.keyLength() * layer.kvHeads();
        requireBlocks(Setting.KEY_CACHE_TYPE, types.key(), keyLength);
        if (layer.valueRows() == LayerState.ValueRows.IN_KEYS) {
            return new RowLayout(types.key(), keyLength, types.key(), 0);
        }
        long valueLength = (long) layer.valueLength() * layer.kvHeads();
        requireBlocks(Setting.VALUE_CACHE_TYPE, types.value(), valueLength);
        return new RowLayout(types.key(), keyLength, types.value(), valueLength);
    }

    private static void requireBlocks(Setting setting, GgmlType type, long length) {
        if (length % type.blockSize() != 0) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    setting
                            + ": "
                            + type.ggufName()
                            + " stores blocks of "
                            + type.blockSize()
                            + " elements, but the model's rows have "
                            + length);
        }
    }

    /** Returns whether V rows are in the K rows. */
    public boolean hasValuesInKeys() {
        return valueLength == 0;
    }

    /** Bytes of a K row. */
    public long keyBytes() {
        return key.rowBytes(keyLength);
    }

    /** Bytes of a V row beside the K row. */
    public long valueBytes() {
        return value.rowBytes(valueLength);
    }

    /** Bytes of a number of K and V rows. */
    public long bytes(int rows) {
        return Math.multiplyExact(Math.addExact(keyBytes(), valueBytes()), (long) rows);
    }

    @Override
    public String toString() {
        String keys = key.ggufName() + "[" + keyLength + "]";
        return hasValuesInKeys() ? keys : keys + "/" + value.ggufName() + "[" + valueLength + "]";
    }
}
