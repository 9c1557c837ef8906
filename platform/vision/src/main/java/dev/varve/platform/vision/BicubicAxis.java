package dev.varve.platform.vision;

/**
 * Weights of the cubic filter with a = -0.5 along one axis, widened where the image shrinks so that
 * every source pixel counts. Integer weights and a rounding to 8 bits after each axis give the
 * bytes that common image libraries give.
 */
final class BicubicAxis {
    private static final int PRECISION = 22;
    private static final int HALF = 1 << PRECISION - 1;

    private final int[] first;
    private final int[][] weights;

    /**
     * @param from source pixels
     * @param to target pixels
     */
    BicubicAxis(int from, int to) {
        first = new int[to];
        weights = new int[to][];
        double ratio = (double) from / to;
        double stretch = Math.max(ratio, 1);
        for (int target = 0; target < to; target++) {
            double centre = (target + 0.5) * ratio;
            int begin = Math.max(0, (int) (centre - 2 * stretch + 0.5));
            int end = Math.min(from, (int) (centre + 2 * stretch + 0.5));
            first[target] = begin;
            weights[target] = weights(begin, end, centre, stretch);
        }
    }

    private static int[] weights(int begin, int end, double centre, double stretch) {
        double[] exact = new double[end - begin];
        double sum = 0;
        for (int i = 0; i < exact.length; i++) {
            exact[i] = cubic((begin + i - centre + 0.5) / stretch);
            sum += exact[i];
        }
        int[] scaled = new int[exact.length];
        for (int i = 0; i < exact.length; i++) {
            double weight = exact[i] / sum * (1 << PRECISION);
            scaled[i] = (int) (weight < 0 ? weight - 0.5 : weight + 0.5);
        }
        return scaled;
    }

    private static double cubic(double distance) {
        double x = Math.abs(distance);
        if (x < 1) {
            return (1.5 * x - 2.5) * x * x + 1;
        }
        return x < 2 ? -0.5 * (((x - 5) * x + 8) * x - 4) : 0;
    }

    /**
     * Computes one target value.
     *
     * @param values bytes of the source
     * @param offset of the first source pixel's value
     * @param stride bytes between the values of neighbouring source pixels
     */
    byte at(int target, byte[] values, int offset, int stride) {
        int[] factors = weights[target];
        int at = offset + first[target] * stride;
        int sum = HALF;
        for (int factor : factors) {
            sum += factor * (values[at] & 0xff);
            at += stride;
        }
        return (byte) Math.clamp(sum >> PRECISION, 0, 255);
    }
}
