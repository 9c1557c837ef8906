package dev.varve.platform.engine;

import java.time.Duration;

/**
 * Limits the columns of a step by measured durations, so that streams do not wait longer than they
 * should.
 */
public final class StepTokenBudget {
    /** Usable part of the limit; the rest is for noise and for work between steps. */
    private static final double MARGIN = 0.93;

    /**
     * Fixed cost of a step, in columns: 16 of a 0.8B shape on two cores take 66 ms, 32 take 101 ms
     * and 64 take 185 ms. If the true cost is higher, the number of columns still converges to the
     * right time, but later.
     */
    private static final double BASE_COLUMNS = 10;

    /** Weights of a step that took longer than expected, and of one that took less. */
    private static final double SLOWER_WEIGHT = 0.5;

    private static final double FASTER_WEIGHT = 0.25;

    private final double limitNanos;
    private double columnNanos;
    private double rowsNanos;

    /**
     * Creates a budget without measurements.
     *
     * @param limit longest time between two tokens of a stream
     */
    public StepTokenBudget(Duration limit) {
        limitNanos = MARGIN * limit.toNanos();
    }

    /**
     * Records a step with prompt tokens.
     *
     * @param columns all tokens of the step
     * @param nanos its duration in ns
     */
    public void record(int columns, long nanos) {
        double measured = nanos / (columns + BASE_COLUMNS);
        double weight =
                columnNanos == 0 ? 1 : measured > columnNanos ? SLOWER_WEIGHT : FASTER_WEIGHT;
        columnNanos += weight * (measured - columnNanos);
    }

    /**
     * Records a step without prompt tokens.
     *
     * @param nanos its duration in ns
     */
    public void recordRows(long nanos) {
        rowsNanos += (rowsNanos == 0 ? 1 : FASTER_WEIGHT) * (nanos - rowsNanos);
    }

    /** Returns the columns of a step within the limit; few before the first measurement. */
    public int columns() {
        return columnsIn(limitNanos);
    }

    /**
     * Returns the columns of a step that is within the limit together with a step of rows alone.
     */
    public int columnsBesideStep() {
        return columnsIn(limitNanos - rowsNanos);
    }

    private int columnsIn(double nanos) {
        return columnNanos == 0
                ? PlannedChunk.PIECE
                : (int) Math.clamp(nanos / columnNanos - BASE_COLUMNS, 0, Short.MAX_VALUE);
    }
}
