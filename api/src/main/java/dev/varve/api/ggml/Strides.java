package dev.varve.api.ggml;

import java.util.OptionalLong;

/**
 * Strides of a view in bytes. Those left out follow from the extents, so that nothing lies between
 * one entry of the dimension and the next.
 *
 * @param nb1 from row to row
 * @param nb2 from plane to plane
 * @param nb3 from box to box
 */
public record Strides(OptionalLong nb1, OptionalLong nb2, OptionalLong nb3) {
    /** Everything follows without a gap. */
    public static Strides packed() {
        return new Strides(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    /** Rows at a stride of their own. */
    public static Strides of(long nb1) {
        return new Strides(OptionalLong.of(nb1), OptionalLong.empty(), OptionalLong.empty());
    }

    /** Rows and planes at strides of their own. */
    public static Strides of(long nb1, long nb2) {
        return new Strides(OptionalLong.of(nb1), OptionalLong.of(nb2), OptionalLong.empty());
    }

    /** Rows, planes and boxes at strides of their own. */
    public static Strides of(long nb1, long nb2, long nb3) {
        return new Strides(OptionalLong.of(nb1), OptionalLong.of(nb2), OptionalLong.of(nb3));
    }

    /**
     * The strides of dimensions 1 to 3. Where a product overflows, the view is refused for its
     * extents or for a stride that was given.
     */
    long[] over(GgmlType type, Extents extents) {
        long rows = nb1.isPresent() ? nb1.getAsLong() : type.rowBytes(extents.ne0());
        long planes = nb2.orElse(rows * extents.ne1());
        return new long[] {rows, planes, nb3.orElse(planes * extents.ne2())};
    }
}
