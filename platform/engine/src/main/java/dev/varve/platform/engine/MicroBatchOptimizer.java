package dev.varve.platform.engine;

import dev.varve.platform.speculation.StepCosts;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Chooses the number of batches into which the rows of decode are divided, so that overlapping
 * shards compute at the same time. Each batch reads the weights once; so if one shard or the
 * weights take most of a step, one batch is as fast. Stages record from their threads, the engine's
 * thread chooses.
 */
final class MicroBatchOptimizer {
    /** Batches of at least this many rows share one counter. */
    private static final int MOST_TRIED = 256;

    /** Batches of a size that are measured before its costs are used. */
    private static final int TRIES = 3;

    /** A division replaces another one if its expected time is below this share of the other's. */
    private static final double GAIN = 0.95;

    /** Weight of a new measurement of the tokens per row. */
    private static final double MEASUREMENT_WEIGHT = 0.1;

    /** Per stage, the number of its group; stages of a group never overlap. */
    private final List<Integer> groups;

    private final int groupCount;
    private final StepCosts[] costs;

    /** Number of measured batches, by rows. */
    private final int[] tried = new int[MOST_TRIED + 1];

    /** Average tokens of a row: the known token and its draft tokens. */
    private double tokensPerRow = 1;

    private int latest = 1;

    /**
     * @param groups per stage, the number of the group that it shares compute resources with
     */
    MicroBatchOptimizer(List<Integer> groups) {
        this.groups = List.copyOf(groups);
        groupCount = 1 + groups.stream().mapToInt(Integer::intValue).max().orElseThrow();
        costs = new StepCosts[groups.size()];
        for (int stage = 0; stage < costs.length; stage++) {
            costs[stage] = new StepCosts();
        }
    }

    /** Returns the number of batches that may compute at the same time. */
    int most() {
        return groupCount;
    }

    /**
     * Records a decode batch.
     *
     * @param stage index of the shard
     * @param nanos time of the batch in that shard
     */
    synchronized void record(int stage, int rows, int tokens, long nanos) {
        costs[stage].measured(tokens, nanos);
        if (stage == 0) {
            tried[Math.min(rows, MOST_TRIED)]++;
            tokensPerRow += MEASUREMENT_WEIGHT * ((double) tokens / rows - tokensPerRow);
        }
    }

    /** Returns the number of batches for some rows, from 1 to {@link #most}. */
    synchronized int choose(int rows) {
        int most = Math.min(groupCount, rows);
        int best = 1;
        for (int batches = most; batches > 1; batches--) {
            if (tried[Math.min(Math.ceilDiv(rows, batches), MOST_TRIED)] < TRIES) {
                latest = batches;
                return batches;
            }
        }
        for (int batches = 2; batches <= most; batches++) {
            if (nanos(rows, batches) < GAIN * nanos(rows, best)) {
                best = batches;
            }
        }
        boolean stays = latest <= most && GAIN * nanos(rows, latest) < nanos(rows, best);
        latest = stays ? latest : best;
        return Math.max(1, latest);
    }

    /**
     * Returns the expected time in which all rows are computed once: a batch passes through all
     * stages, and the slowest group computes all batches.
     */
    private double nanos(int rows, int batches) {
        int tokens = (int) Math.round(Math.ceilDiv(rows, batches) * tokensPerRow);
        double[] ofStages =
                IntStream.range(0, costs.length).mapToDouble(i -> costs[i].of(tokens)).toArray();
        double[] ofGroups = new double[groupCount];
        double all = 0;
        double slowest = 0;
        for (int stage = 0; stage < ofStages.length; stage++) {
            int group = groups.get(stage);
            ofGroups[group] += ofStages[stage];
            slowest = Math.max(slowest, ofGroups[group]);
            all += ofStages[stage];
        }
        return Math.max(all, batches * slowest);
    }
}
