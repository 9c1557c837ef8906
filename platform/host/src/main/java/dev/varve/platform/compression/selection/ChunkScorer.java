package dev.varve.platform.compression.selection;

import java.util.BitSet;

/** Computes the scores of chunks. Runs per token. */
final class ChunkScorer {
    private ChunkScorer() {}

    /**
     * Returns the mean of the smoothed scores of each chunk's tokens, without fixed tokens.
     *
     * @param fixed tokens that are kept anyway
     * @return by chunk; 0 if all its tokens are fixed
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
