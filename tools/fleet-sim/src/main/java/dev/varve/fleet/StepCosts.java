package dev.varve.fleet;

/**
 * Duration of a step in ns: a base, and a time for each row and each column.
 *
 * @param baseNanos of every step
 * @param rowNanos of each decoded token
 * @param columnNanos of each prompt token
 */
public record StepCosts(long baseNanos, long rowNanos, long columnNanos) {
    /**
     * The measured machine of docs/performance.md: 2 cores, a 0.8B shape in Q4_0. 345 prompt tokens
     * per second are 2.9 ms a column; 83 tokens per second of one stream and 175 of eight are 7.2
     * ms a step and 4.8 ms a row.
     */
    public static final StepCosts MEASURED = new StepCosts(7_200_000, 4_800_000, 2_900_000);

    /** Checks that a step takes time. */
    public StepCosts {
        if (baseNanos < 0 || rowNanos < 1 || columnNanos < 1) {
            throw new IllegalArgumentException(
                    "times of rows and columns must be positive, got "
                            + rowNanos
                            + " and "
                            + columnNanos
                            + " ns");
        }
    }

    /** Returns the duration of a step in ns. */
    public long of(int rows, int columns) {
        return baseNanos + rows * rowNanos + columns * columnNanos;
    }
}
