package dev.varve.platform.compression.selection;

import java.util.BitSet;

/** What the chunks of a text are worth. Runs per token. */
final class ChunkScores {
    private ChunkScores() {}

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
