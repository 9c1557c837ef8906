package dev.varve.platform.shard;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;

import java.util.List;

/** Element types of the KV cache. */
public record CacheTypes(GgmlType key, GgmlType value) {
    private static final List<GgmlType> SUPPORTED =
            List.of(GgmlType.F16, GgmlType.F32, GgmlType.Q8_0);

    public CacheTypes {
        requireSupported("--cache-type-k", key);
        requireSupported("--cache-type-v", value);
    }

    /** The default, F16 for both. */
    public static CacheTypes f16() {
        return new CacheTypes(GgmlType.F16, GgmlType.F16);
    }

    private static void requireSupported(String flag, GgmlType type) {
        if (!SUPPORTED.contains(type)) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    flag
                            + ": expected one of "
                            + SUPPORTED.stream().map(GgmlType::ggufName).toList()
                            + ", found "
                            + type.ggufName());
        }
    }
}
