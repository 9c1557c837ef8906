package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;

import java.util.List;
import java.util.StringJoiner;

/**
 * Type and extents of a tensor, without its memory.
 *
 * @param extents of all four dimensions, the fastest running first
 * @param order memory order of its elements
 */
record TensorShape(GgmlType type, List<Long> extents, Contiguity order) {
    /** Memory order of the elements of a tensor. */
    enum Contiguity {
        /** Without gaps in the order of the dimensions. */
        CONTIGUOUS(""),
        /** Only the elements of a row are without gaps. */
        ROWS(", not contiguous"),
        /** Rows have gaps as well, such as after a transposition. */
        SCATTERED(", rows not contiguous");

        private final String words;

        Contiguity(String words) {
            this.words = words;
        }
    }

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
                orderOf(tensor));
    }

    private static Contiguity orderOf(Tensor tensor) {
        if (tensor.isContiguous()) {
            return Contiguity.CONTIGUOUS;
        }
        return tensor.nb(0) == tensor.type().typeSize() ? Contiguity.ROWS : Contiguity.SCATTERED;
    }

    boolean isContiguous() {
        return order == Contiguity.CONTIGUOUS;
    }

    boolean hasContiguousRows() {
        return order != Contiguity.SCATTERED;
    }

    /** Whether this is an F32 tensor of these extents; missing extents are 1. */
    boolean isFloats(long... expected) {
        boolean same = type == GgmlType.F32;
        for (int i = 0; i < DIMENSIONS; i++) {
            same &= extents.get(i) == (i < expected.length ? expected[i] : 1);
        }
        return same;
    }

    /** Formats the shape, such as {@code F32 [64, 4, 72]}; trailing extents of 1 are left out. */
    @Override
    public String toString() {
        int shown = DIMENSIONS;
        while (shown > 1 && extents.get(shown - 1) == 1) {
            shown--;
        }
        StringJoiner list = new StringJoiner(", ", type + " [", "]");
        extents.subList(0, shown).forEach(extent -> list.add(extent.toString()));
        return list + order.words;
    }
}
