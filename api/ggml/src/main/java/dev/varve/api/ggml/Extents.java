package dev.varve.api.ggml;

import java.util.Arrays;

/**
 * Extents of a tensor in elements, the fastest dimension first; omitted ones are 1. Whether they
 * suit a type is checked where they are used.
 *
 * @param ne0 elements of a row
 * @param ne1 rows of a plane
 * @param ne2 planes of a box
 * @param ne3 boxes
 */
public record Extents(long ne0, long ne1, long ne2, long ne3) {
    /** A row. */
    public static Extents of(long ne0) {
        return new Extents(ne0, 1, 1, 1);
    }

    /** Rows. */
    public static Extents of(long ne0, long ne1) {
        return new Extents(ne0, ne1, 1, 1);
    }

    /** Planes. */
    public static Extents of(long ne0, long ne1, long ne2) {
        return new Extents(ne0, ne1, ne2, 1);
    }

    /** Boxes. */
    public static Extents of(long ne0, long ne1, long ne2, long ne3) {
        return new Extents(ne0, ne1, ne2, ne3);
    }

    long[] toArray() {
        return new long[] {ne0, ne1, ne2, ne3};
    }

    @Override
    public String toString() {
        return Arrays.toString(toArray());
    }
}
