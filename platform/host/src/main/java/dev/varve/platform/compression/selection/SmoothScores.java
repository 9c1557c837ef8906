package dev.varve.platform.compression.selection;

/** Smooths token scores by means over their neighbours. */
public final class SmoothScores {
    private SmoothScores() {}

    /**
     * Returns centred means of scores; the window shrinks at both ends of the text. Each window is
     * summed separately, so that equal scores have bitwise equal means.
     *
     * @param width tokens of the window, odd
     */
    public static double[] of(float[] scores, int width) {
        int reach = width / 2;
        double[] means = new double[scores.length];
        for (int token = 0; token < scores.length; token++) {
            int begin = Math.max(0, token - reach);
            int end = (int) Math.min(scores.length, (long) token + reach + 1);
            double sum = 0;
            for (int i = begin; i < end; i++) {
                sum += scores[i];
            }
            means[token] = sum / (end - begin);
        }
        return means;
    }
}
