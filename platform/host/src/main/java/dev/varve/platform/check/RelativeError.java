package dev.varve.platform.check;

/** Relative L2 error of values: the norm of the difference divided by the expected norm. */
final class RelativeError {
    private RelativeError() {}

    /**
     * Compares two arrays of the same length. Equal infinities agree, as in attention masks; a NaN
     * or an infinity on one side only is an infinite error.
     */
    static double of(float[] expected, float[] found) {
        return of(expected, 0, found, 0, expected.length);
    }

    /** Compares ranges of two arrays. */
    static double of(float[] expected, int first, float[] found, int foundFirst, int count) {
        double difference = 0;
        double norm = 0;
        for (int i = 0; i < count; i++) {
            float e = expected[first + i];
            float f = found[foundFirst + i];
            if (Float.floatToIntBits(e) == Float.floatToIntBits(f)) {
                norm += Float.isFinite(e) ? (double) e * e : 0;
            } else if (!Float.isFinite(e) || !Float.isFinite(f)) {
                return Double.POSITIVE_INFINITY;
            } else {
                norm += (double) e * e;
                difference += ((double) e - f) * ((double) e - f);
            }
        }
        if (difference == 0) {
            return 0;
        }
        return norm == 0 ? Double.POSITIVE_INFINITY : Math.sqrt(difference / norm);
    }

    /**
     * Returns the largest difference of two elements; {@link Double#MAX_VALUE} or more if one is
     * not finite.
     */
    static double largestDifference(float[] expected, float[] found) {
        double largest = 0;
        for (int i = 0; i < expected.length; i++) {
            double difference = Math.abs((double) expected[i] - found[i]);
            largest = Math.max(largest, Double.isNaN(difference) ? Double.MAX_VALUE : difference);
        }
        return largest;
    }
}
