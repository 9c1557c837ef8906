package dev.varve.platform.engine;

import java.util.SplittableRandom;

/**
 * Faults of shards: each happens in one of so many calls (0: never). The counters say how many
 * happened.
 */
public final class ShardFaults {
    private final int steps;
    private final int losses;
    private final int copies;
    private int left;
    private int failedSteps;
    private int lost;
    private int failedCopies;

    /**
     * Faults by chance.
     *
     * @param steps a batch fails
     * @param losses a shard gets lost with everything that it holds
     * @param copies a copy to or from host memory fails
     * @param most times that anything goes wrong
     */
    public ShardFaults(int steps, int losses, int copies, int most) {
        this.steps = steps;
        this.losses = losses;
        this.copies = copies;
        left = most;
    }

    /** Nothing goes wrong. */
    public static ShardFaults none() {
        return new ShardFaults(0, 0, 0, 0);
    }

    private boolean isDue(int oneIn, SplittableRandom random) {
        boolean due = oneIn > 0 && left > 0 && random.nextInt(oneIn) == 0;
        left -= due ? 1 : 0;
        return due;
    }

    boolean failsStep(SplittableRandom random) {
        boolean fails = isDue(steps, random);
        failedSteps += fails ? 1 : 0;
        return fails;
    }

    boolean isLost(SplittableRandom random) {
        boolean loses = isDue(losses, random);
        lost += loses ? 1 : 0;
        return loses;
    }

    boolean failsCopy(SplittableRandom random) {
        boolean fails = isDue(copies, random);
        failedCopies += fails ? 1 : 0;
        return fails;
    }

    /** Batches that failed. */
    public int failedSteps() {
        return failedSteps;
    }

    /** Times that a shard was lost. */
    public int lost() {
        return lost;
    }

    /** Copies that failed. */
    public int failedCopies() {
        return failedCopies;
    }
}
