package dev.varve.platform.draft;

/**
 * Scales hidden states into the range of F16, to which products with F16 weights convert them: some
 * models have a few values of 65,504 and more, and an infinite one makes all draft tokens useless.
 * Division by a power of two before the product and multiplication after it lose nothing.
 */
final class FeatureScaling {
    /** Sums of products are F32: only the states themselves must fit. */
    private static final float MOST = 32_768;

    private FeatureScaling() {}

    /**
     * Divides the states of tokens with a value that is too large.
     *
     * @param states {@code [length, count]}; not changed
     * @param divisors receives the divisor of each token, a power of two, if it is not 1
     * @return the states themselves, if none is too large
     */
    static float[] divide(float[] states, int length, int count, float[] divisors) {
        float[] divided = states;
        for (int token = 0; token < count; token++) {
            float largest = largest(states, token * length, length);
            if (largest > MOST && largest < Float.POSITIVE_INFINITY) {
                divisors[token] = Math.scalb(1f, Math.getExponent(largest / MOST) + 1);
                divided = divided == states ? states.clone() : divided;
                for (int i = token * length; i < (token + 1) * length; i++) {
                    divided[i] /= divisors[token];
                }
            }
        }
        return divided;
    }

    private static float largest(float[] states, int from, int length) {
        float largest = 0;
        for (int i = from; i < from + length; i++) {
            largest = Math.max(largest, Math.abs(states[i]));
        }
        return largest;
    }
}
