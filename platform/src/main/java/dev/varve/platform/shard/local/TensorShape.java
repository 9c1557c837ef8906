package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.List;
import java.util.StringJoiner;

/**
 * Type and extents of a tensor, apart from its memory.
 *
 * @param extents of all four dimensions, the fastest running first
 * @param contiguous whether its elements lie without gaps in the order of the dimensions
 */
record TensorShape(GgmlType type, List<Long> extents, boolean contiguous) {
    private static final int DIMENSIONS = 4;

    TensorShape {
        extents = List.copyOf(extents);
        if (extents.size() != DIMENSIONS) {
            throw new IllegalArgumentException("expected 4 extents, found " + extents);
        }
    }

    static TensorShape of(Tensor tensor) {
        return new TensorShape(
                tensor.type(),
                List.of(tensor.ne(0), tensor.ne(1), tensor.ne(2), tensor.ne(3)),
                tensor.isContiguous());
    }

    /** Whether this is an F32 tensor of these extents; those that are not named are 1. */
    boolean isFloats(long... expected) {
        boolean same = type == GgmlType.F32;
        for (int i = 0; i < DIMENSIONS; i++) {
            same &= extents.get(i) == (i < expected.length ? expected[i] : 1);
        }
        return same;
    }

    /** Such as {@code F32 [64, 4, 72]}; extents of 1 at the end are left out. */
    @Override
    public String toString() {
        int shown = DIMENSIONS;
        while (shown > 1 && extents.get(shown - 1) == 1) {
            shown--;
        }
        StringJoiner list = new StringJoiner(", ", type + " [", "]");
        extents.subList(0, shown).forEach(extent -> list.add(extent.toString()));
        return list + (contiguous ? "" : ", not contiguous");
    }
}
