package dev.varve.platform.compression.selection;

import java.util.BitSet;

/** What the chunks of a text are worth. Runs per token. */
final class ChunkValues {
    private ChunkValues() {}

    /**
     * Centred means of scores; the window shrinks at both ends of the text. Each window is summed
     * by itself: equal scores have equal means then, to the bit.
     *
     * @param width tokens of the window, odd
     */
    static double[] smooth(float[] scores, int width) {
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

    /**
     * Means of the smoothed scores of each chunk's tokens, without those that stay anyway.
     *
     * @param fixed tokens that stay anyway
     * @return by chunk; 0 where all of them stay anyway
     */
    static double[] of(double[] smooth, ChunkGrid grid, BitSet fixed) {
        double[] values = new double[grid.chunks()];
        for (int chunk = 0; chunk < values.length; chunk++) {
            TokenRange range = grid.range(chunk);
            double sum = 0;
            int count = 0;
            for (int token = fixed.nextClearBit(range.begin());
                    token < range.end();
                    token = fixed.nextClearBit(token + 1)) {
                sum += smooth[token];
                count++;
            }
            values[chunk] = count == 0 ? 0 : sum / count;
        }
        return values;
    }
}
