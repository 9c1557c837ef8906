package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;

import java.util.List;

/** Element types of the KV cache. */
public record CacheTypes(GgmlType key, GgmlType value) {
    /** Types that a cache may have, if the device and the model's heads agree. */
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

    public CacheTypes {
        requireKnown("--cache-type-k", key);
        requireKnown("--cache-type-v", value);
    }

    /** The default, F16 for both. */
    public static CacheTypes f16() {
        return new CacheTypes(GgmlType.F16, GgmlType.F16);
    }

    private static void requireKnown(String flag, GgmlType type) {
        if (!TYPES.contains(type)) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    flag
                            + ": expected one of "
                            + TYPES.stream().map(GgmlType::ggufName).toList()
                            + ", found "
                            + type.ggufName());
        }
    }

    @Override
    public String toString() {
        return key.ggufName() + "/" + value.ggufName();
    }
}
