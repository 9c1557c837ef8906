package dev.varve.platform.engine;

import java.time.Duration;

/**
 * How many columns a step may have so that streams do not wait longer than they should: as many as
 * were measured to take that time.
 */
final class StepTokenBudget {
    /** What is left for the noise of the machine and for what is done between steps. */
    private static final double MARGIN = 0.93;

    /**
     * What a step costs beside its columns, in columns: 16 of a 0.8B shape on two cores take 66 ms,
     * 32 take 101 ms and 64 take 185 ms. Where it is more, the number of columns still settles
     * where the time is right, only later.
     */
    private static final double BASE_COLUMNS = 10;

    /** How much a step counts that took more than expected, and one that took less. */
    private static final double RISE = 0.5;

    private static final double FALL = 0.25;

    private final double limitNanos;
    private double columnNanos;
    private double rowsNanos;

    /**
     * @param limit longest time between two tokens of a stream
     */
    StepTokenBudget(Duration limit) {
        limitNanos = MARGIN * limit.toNanos();
    }

    /** Takes note of a step with prompt tokens. */
    void took(int columns, long nanos) {
        double measured = nanos / (columns + BASE_COLUMNS);
        double weight = columnNanos == 0 ? 1 : measured > columnNanos ? RISE : FALL;
        columnNanos += weight * (measured - columnNanos);
    }

    /** Takes note of a step without prompt tokens. */
    void tookRows(long nanos) {
        rowsNanos += (rowsNanos == 0 ? 1 : FALL) * (nanos - rowsNanos);
    }

    /** Columns of a step that takes no longer than it should; few where nothing was measured. */
    int columns() {
        return columnsIn(limitNanos);
    }

    /** Columns of a step that takes no longer than it should together with one of rows alone. */
    int columnsBesideStep() {
        return columnsIn(limitNanos - rowsNanos);
    }

    private int columnsIn(double nanos) {
        return columnNanos == 0
                ? ChunkPlan.PIECE
                : (int) Math.clamp(nanos / columnNanos - BASE_COLUMNS, 0, Short.MAX_VALUE);
    }
}
