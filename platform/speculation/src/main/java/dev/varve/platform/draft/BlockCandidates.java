package dev.varve.platform.draft;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Candidates for each slot of a block.
 *
 * @param rows per slot, candidates as rows of the head, in any order; one may occur twice
 * @param shares per slot, the chance of each candidate by itself
 * @param links per slot, the terms added to the logarithms of these chances, candidate after
 *     candidate for each candidate of the slot before, or for the known token; empty if slots do
 *     not depend on one another
 */
record BlockCandidates(int[][] rows, float[][] shares, Optional<List<float[]>> links) {
    /**
     * A candidate after another one.
     *
     * @param index of the candidate in its slot
     * @param row of the head
     * @param logProbability logarithm of the chance that it is accepted if those before it are
     */
    record Ranked(int index, int row, double logProbability) {}

    int slots() {
        return rows.length;
    }

    /**
     * Returns the likeliest candidates of a slot, the likeliest first; of equal ones the lower row.
     *
     * <p>If slots depend on one another, the chances after a candidate are scaled to the sum of the
     * candidates' shares by themselves, since the chances of all other rows are unknown there.
     *
     * @param before index of the candidate in the slot before; ignored in the first slot
     * @param most maximum number of candidates
     * @return fewer if chances are not finite
     */
    List<Ranked> rank(int slot, int before, int most) {
        boolean[] repeated = repeated(slot);
        double[] logs = logProbabilities(slot, before, repeated);
        List<Ranked> ranked = new ArrayList<>();
        for (int i = 0; i < logs.length; i++) {
            // Also excludes infinities, which a chance of 0 gives.
            if (Double.isFinite(logs[i]) && !repeated[i]) {
                ranked.add(new Ranked(i, rows[slot][i], logs[i]));
            }
        }
        ranked.sort(
                Comparator.comparingDouble(Ranked::logProbability)
                        .reversed()
                        .thenComparingInt(Ranked::row));
        return ranked.size() > most ? ranked.subList(0, most) : ranked;
    }

    private double[] logProbabilities(int slot, int before, boolean[] repeated) {
        int count = rows[slot].length;
        double[] logs = new double[count];
        for (int i = 0; i < count; i++) {
            logs[i] = Math.log(shares[slot][i]);
        }
        if (links.isEmpty()) {
            return logs;
        }
        float[] all = links.get().get(slot);
        int begin = slot == 0 ? 0 : before * count;
        double together = 0;
        double largest = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            together += repeated[i] ? 0 : shares[slot][i];
            logs[i] += all[begin + i];
            largest = Math.max(largest, logs[i]);
        }
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += repeated[i] ? 0 : Math.exp(logs[i] - largest);
        }
        double shift = Math.log(Math.min(1, together)) - largest - Math.log(sum);
        for (int i = 0; i < count; i++) {
            logs[i] += shift;
        }
        return logs;
    }

    /** Marks candidates that occurred before. */
    private boolean[] repeated(int slot) {
        Set<Integer> known = new HashSet<>();
        boolean[] repeated = new boolean[rows[slot].length];
        for (int i = 0; i < repeated.length; i++) {
            repeated[i] = !known.add(rows[slot][i]);
        }
        return repeated;
    }
}
