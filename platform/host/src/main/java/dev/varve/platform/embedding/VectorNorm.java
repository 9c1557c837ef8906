package dev.varve.platform.embedding;

/** Scales vectors. */
public final class VectorNorm {
    /** Value that the largest absolute value gets with norm 0: that of 16-bit integers, nearly. */
    private static final double LARGEST = 32760;

    private VectorNorm() {}

    /**
     * Returns a vector's first elements, scaled.
     *
     * @param length number of elements, which are cut off before the vector is scaled
     * @param norm -1 for none, 0 for the largest absolute value as 32760, 2 for the Euclidean norm,
     *     p for the p-norm; a vector of zeros stays one
     */
    public static float[] of(float[] vector, int length, int norm) {
        double size = norm < 0 ? 1 : size(vector, length, norm);
        float[] scaled = new float[length];
        for (int i = 0; i < length; i++) {
            scaled[i] = size == 0 ? 0 : (float) (vector[i] / size);
        }
        return scaled;
    }

    private static double size(float[] vector, int length, int norm) {
        double sum = 0;
        double most = 0;
        for (int i = 0; i < length; i++) {
            double value = Math.abs((double) vector[i]);
            most = Math.max(most, value);
            sum += norm == 2 ? value * value : Math.pow(value, norm);
        }
        return switch (norm) {
            case 0 -> most / LARGEST;
            case 2 -> Math.sqrt(sum);
            default -> Math.pow(sum, 1.0 / norm);
        };
    }
}
