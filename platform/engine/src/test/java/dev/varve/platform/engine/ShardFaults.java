package dev.varve.platform.engine;

import java.util.SplittableRandom;

/**
 * Random faults of shards: each occurs in one of a number of calls (0: never). Counters hold the
 * number of faults.
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
     * Creates random faults.
     *
     * @param steps one in so many batches fails
     * @param losses in one of so many calls a shard is lost with its caches
     * @param copies one in so many copies to or from host memory fails
     * @param most most faults in total
     */
    public ShardFaults(int steps, int losses, int copies, int most) {
        this.steps = steps;
        this.losses = losses;
        this.copies = copies;
        left = most;
    }

    /** Returns an instance without faults. */
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

    /** Returns the number of failed batches. */
    public int failedSteps() {
        return failedSteps;
    }

    /** Returns how often a shard was lost. */
    public int lost() {
        return lost;
    }

    /** Returns the number of failed copies. */
    public int failedCopies() {
        return failedCopies;
    }
}
