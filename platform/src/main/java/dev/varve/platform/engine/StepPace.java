package dev.varve.platform.engine;

import java.time.Duration;

/**
 * How many columns a step may have so that streams do not wait longer than they should: as many as
 * were measured to take that time. A step has a cost of its own beside that of its columns, so few
 * columns are measured to be dearer than many, and the number settles where both meet.
 */
final class StepPace {
    /** What is left for the noise of the machine and for what is done between steps. */
    private static final double MARGIN = 0.85;

    /** How much a step that took less than expected counts; one that took more counts at once. */
    private static final double EASING = 0.3;

    private final double limitNanos;
    private double columnNanos;

    /**
     * @param limit longest time between two tokens of a stream
     */
    StepPace(Duration limit) {
        limitNanos = MARGIN * limit.toNanos();
    }

    /** Takes note of a step with prompt tokens. */
    void took(int columns, long nanos) {
        double measured = (double) nanos / columns;
        columnNanos =
                measured >= columnNanos
                        ? measured
                        : columnNanos + EASING * (measured - columnNanos);
    }

    /** Columns of a step that takes no longer than it should; few where nothing was measured. */
    int columns() {
        return columnNanos == 0
                ? ChunkPlan.PIECE
                : (int) Math.min(limitNanos / columnNanos, Integer.MAX_VALUE);
    }
}
