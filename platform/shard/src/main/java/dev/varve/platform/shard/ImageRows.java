package dev.varve.platform.shard;

import java.util.Objects;

/**
 * Consecutive rows of an image.
 *
 * @param values {@code [width, rows]}; not to be modified
 * @param first number of the first row in the image
 */
public record ImageRows(float[] values, int first) {
    /** No rows: for images whose tokens are not computed, or not by this shard. */
    public static final ImageRows NONE = new ImageRows(new float[0], 0);

    /** Checks that nothing is missing. */
    public ImageRows {
        Objects.requireNonNull(values);
        if (first < 0) {
            throw new IllegalArgumentException("rows from number " + first);
        }
    }

    /** All rows of an image. */
    public static ImageRows all(float[] values) {
        return new ImageRows(values, 0);
    }
}
