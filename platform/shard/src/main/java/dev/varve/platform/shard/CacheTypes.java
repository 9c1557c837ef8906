package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerState;
import dev.varve.platform.setting.Setting;

import java.util.List;

/**
 * Element types of the KV cache.
 *
 * @param key type of K rows
 * @param value type of V rows that are not in K rows
 */
public record CacheTypes(GgmlType key, GgmlType value) {
    /** Types that a cache may have, if the device and the model's heads support them. */
    public static final List<GgmlType> TYPES =
            List.of(
                    GgmlType.F16,
                    GgmlType.BF16,
                    GgmlType.F32,
                    GgmlType.Q8_0,
                    GgmlType.Q5_1,
                    GgmlType.Q5_0,
                    GgmlType.Q4_1,
                    GgmlType.Q4_0);

    /**
     * Checks the types.
     *
     * @throws VarveException of kind INVALID_REQUEST if a type is not among {@link #TYPES}
     */
    public CacheTypes {
        requireKnown(Setting.KEY_CACHE_TYPE, key);
        requireKnown(Setting.VALUE_CACHE_TYPE, value);
    }

    /** The default, F16 for both. */
    public static CacheTypes f16() {
        return new CacheTypes(GgmlType.F16, GgmlType.F16);
    }

    /** Type of a layer's V rows: that of its K rows, if they are in these. */
    public GgmlType value(LayerState.Attention layer) {
        return layer.valueRows() == LayerState.ValueRows.IN_KEYS ? key : value;
    }

    private static void requireKnown(Setting setting, GgmlType type) {
        if (!TYPES.contains(type)) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    setting
                            + ": expected one of "
                            + TYPES.stream().map(GgmlType::ggufName).toList()
                            + ", found "
                            + type.ggufName());
        }
    }

    /** Both types, such as {@code f16/q8_0}. */
    @Override
    public String toString() {
        return key.ggufName() + "/" + value.ggufName();
    }
}
