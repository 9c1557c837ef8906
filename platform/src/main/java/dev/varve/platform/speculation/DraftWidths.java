package dev.varve.platform.speculation;

import java.util.Arrays;
import java.util.List;

/**
 * How many guesses of each sequence are worth a place in the next step: as many as give the most
 * tokens per time, by what steps were measured to cost and how often guesses were right.
 *
 * <p>Guesses are taken in by their chance to count, which is the product of the chances of all
 * guesses up to it; so those of a sequence are taken in their order. Steps get dearer by leaps,
 * where a kernel takes several columns together, so the best of all numbers is looked for and not
 * the first that gets worse.
 */
public final class DraftWidths {
    /** Guesses must promise this much, since what they cost is never known exactly. */
    private static final double WORTH_IT = 1.02;

    private final StepCosts costs;

    /**
     * A sequence with guesses.
     *
     * @param chances per guess, the chance that it is right if all before it are
     */
    public record Candidate(double[] chances) {}

    /**
     * What a step would be.
     *
     * @param sequences all of those in the step, each with the one token that is known
     * @param overhead what guessing costs beyond the tokens in the step, in nanoseconds
     * @param slowest how many times as long a step may take as without guesses; for the sake of
     *     sequences that gain nothing
     */
    public record Step(int sequences, double overhead, double slowest) {}

    /** Weighs by measured costs. */
    public DraftWidths(StepCosts costs) {
        this.costs = costs;
    }

    /**
     * Chooses.
     *
     * @return how many guesses of each candidate to check
     */
    public int[] choose(List<Candidate> candidates, Step step) {
        int[] widths = new int[candidates.size()];
        double[] next = new double[candidates.size()];
        Arrays.setAll(next, i -> chance(candidates.get(i), 0, 1));
        double plain = costs.of(step.sequences());
        double bestRate = WORTH_IT * step.sequences() / plain;
        int[] best = widths.clone();
        double tokens = step.sequences();
        int columns = step.sequences();
        while (true) {
            int chosen = largest(next);
            if (chosen < 0) {
                return best;
            }
            tokens += next[chosen];
            columns++;
            widths[chosen]++;
            next[chosen] = chance(candidates.get(chosen), widths[chosen], next[chosen]);
            double time = costs.of(columns) + step.overhead();
            if (tokens / time > bestRate && time <= step.slowest() * plain) {
                bestRate = tokens / time;
                best = widths.clone();
            }
        }
    }

    /**
     * What it would cost to check other guesses than the best ones: the time of that step, less the
     * time in which the best choice gives as many tokens.
     *
     * @return nanoseconds
     */
    public double loss(List<Candidate> candidates, Step step, int[] counts, int[] best) {
        double worth = nanos(step, best) / tokens(candidates, step, best);
        return nanos(step, counts) - tokens(candidates, step, counts) * worth;
    }

    /** How long a step takes. */
    public double nanos(Step step, int[] counts) {
        int guesses = Arrays.stream(counts).sum();
        return costs.of(step.sequences() + guesses) + (guesses > 0 ? step.overhead() : 0);
    }

    private static double tokens(List<Candidate> candidates, Step step, int[] counts) {
        double tokens = step.sequences();
        for (int i = 0; i < counts.length; i++) {
            double right = 1;
            for (int depth = 0; depth < counts[i]; depth++) {
                right = chance(candidates.get(i), depth, right);
                tokens += right;
            }
        }
        return tokens;
    }

    private static double chance(Candidate candidate, int depth, double before) {
        return depth < candidate.chances().length ? before * candidate.chances()[depth] : 0;
    }

    /** Index of the largest chance, -1 if none is left. */
    private static int largest(double[] chances) {
        int best = -1;
        for (int i = 0; i < chances.length; i++) {
            if (chances[i] > 0 && (best < 0 || chances[i] > chances[best])) {
                best = i;
            }
        }
        return best;
    }
}
