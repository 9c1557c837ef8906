package dev.varve.api.ggml;

import java.util.OptionalLong;

/**
 * Strides of a view in bytes. Omitted strides follow from the extents, without gaps between the
 * entries of a dimension.
 *
 * @param nb1 from row to row
 * @param nb2 from plane to plane
 * @param nb3 from box to box
 */
public record Strides(OptionalLong nb1, OptionalLong nb2, OptionalLong nb3) {
    /** Returns strides without gaps. */
    public static Strides packed() {
        return new Strides(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    /** Returns strides with a given row stride. */
    public static Strides of(long nb1) {
        return new Strides(OptionalLong.of(nb1), OptionalLong.empty(), OptionalLong.empty());
    }

    /** Returns strides with given row and plane strides. */
    public static Strides of(long nb1, long nb2) {
        return new Strides(OptionalLong.of(nb1), OptionalLong.of(nb2), OptionalLong.empty());
    }

    /** Returns strides with given row, plane and box strides. */
    public static Strides of(long nb1, long nb2, long nb3) {
        return new Strides(OptionalLong.of(nb1), OptionalLong.of(nb2), OptionalLong.of(nb3));
    }

    /**
     * Computes the strides of dimensions 1 to 3. If a product overflows, the view is rejected
     * because of its extents or a given stride.
     */
    long[] over(GgmlType type, Extents extents) {
        long rows = nb1.isPresent() ? nb1.getAsLong() : type.rowBytes(extents.ne0());
        long planes = nb2.orElse(rows * extents.ne1());
        return new long[] {rows, planes, nb3.orElse(planes * extents.ne2())};
    }
}
