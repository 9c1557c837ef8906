package dev.varve.platform.speculation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * How many guesses of each sequence are worth a place in the next step: as many as give the most
 * tokens per time, by what steps were measured to cost and how often guesses were right.
 *
 * <p>A sequence has none, or as many as the others as far as its draft goes, and that in few sizes:
 * each other step is recorded anew, slices of one length are computed together, and what steps cost
 * is known the better the fewer kinds there are.
 */
public final class DraftLengthOptimizer {
    /** Guesses must promise this much, since what they cost is never known exactly. */
    private static final double WORTH_IT = 1.02;

    /**
     * Fewer guesses must be this much better than more of them: each other size is another graph.
     */
    private static final double CLEARLY = 1.03;

    private final StepCosts costs;
    private final int depth;

    /**
     * A sequence with guesses.
     *
     * @param chances per guess, the chance that it is right if all before it are
     * @param gain tokens that other guesses than these give beyond them, where all are checked
     */
    public record Candidate(double[] chances, double gain) {
        /** Without others. */
        public Candidate(double[] chances) {
            this(chances, 0);
        }
    }

    /**
     * What a step would be.
     *
     * @param sequences all of those in the step, each with the one token that is known
     * @param overhead what guessing costs beyond the tokens in the step, in nanoseconds
     * @param slowest how many times as long a step may take as without guesses; for the sake of
     *     sequences that gain nothing
     */
    public record Step(int sequences, double overhead, double slowest) {}

    /**
     * Weighs by measured costs.
     *
     * @param depth most guesses of a draft
     */
    public DraftLengthOptimizer(StepCosts costs, int depth) {
        this.costs = costs;
        this.depth = depth;
    }

    /** The largest usual number of guesses up to one: 1, 3, 7, 15 and so on, or all. */
    int usual(int most) {
        return most >= depth ? depth : Integer.highestOneBit(most + 1) - 1;
    }

    /**
     * Chooses.
     *
     * @return how many guesses of each candidate to check
     */
    public int[] choose(List<Candidate> candidates, Step step) {
        double plain = costs.of(step.sequences());
        Choice best = new Choice(new int[candidates.size()], WORTH_IT * step.sequences() / plain);
        for (int width = depth; width > 0; width = usual(width - 1)) {
            Choice own = choose(candidates, step, width);
            boolean wider = Arrays.stream(best.counts()).anyMatch(count -> count > 0);
            if (own.rate() > best.rate() * (wider ? CLEARLY : 1)) {
                best = own;
            }
        }
        return best.counts();
    }

    /**
     * Guesses of each candidate, and tokens per time that they promise; 0 for a step that takes too
     * long.
     */
    private record Choice(int[] counts, double rate) {}

    /** How many candidates should have a number of guesses. */
    private Choice choose(List<Candidate> candidates, Step step, int width) {
        Choice best = new Choice(new int[0], 0);
        int[] counts = new int[candidates.size()];
        double tokens = step.sequences();
        int columns = step.sequences();
        for (OfferedModels offer : offers(candidates, width)) {
            counts[offer.candidate()] = offer.guesses();
            tokens += offer.tokens();
            columns += offer.guesses();
            double time = costs.of(columns) + step.overhead();
            double longest = step.slowest() * costs.of(step.sequences());
            if (tokens / time > best.rate() && time <= longest) {
                best = new Choice(counts.clone(), tokens / time);
            }
        }
        return best;
    }

    /**
     * Guesses of a candidate.
     *
     * @param tokens how many of them are thought to count
     */
    private record OfferedModels(int candidate, int guesses, double tokens) {
        double tokensPerGuess() {
            return tokens / guesses;
        }
    }

    /** What candidates have for a width, the best first. */
    private List<OfferedModels> offers(List<Candidate> candidates, int width) {
        List<OfferedModels> offers = new ArrayList<>();
        for (int i = 0; i < candidates.size(); i++) {
            double[] chances = candidates.get(i).chances();
            int guesses = usual(Math.min(width, chances.length));
            if (guesses > 0) {
                offers.add(new OfferedModels(i, guesses, tokens(chances, guesses)));
            }
        }
        offers.sort(Comparator.comparingDouble(OfferedModels::tokensPerGuess).reversed());
        return offers;
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

    /** Tokens per nanosecond that a step promises. */
    public double rate(List<Candidate> candidates, Step step, int[] counts) {
        return tokens(candidates, step, counts) / nanos(step, counts);
    }

    /** How long a step takes. */
    public double nanos(Step step, int[] counts) {
        int guesses = Arrays.stream(counts).sum();
        return costs.of(step.sequences() + guesses) + (guesses > 0 ? step.overhead() : 0);
    }

    private static double tokens(List<Candidate> candidates, Step step, int[] counts) {
        double tokens = step.sequences();
        for (int i = 0; i < counts.length; i++) {
            Candidate candidate = candidates.get(i);
            int length = candidate.chances().length;
            tokens += tokens(candidate.chances(), Math.min(counts[i], length));
            tokens += counts[i] > length ? candidate.gain() : 0;
        }
        return tokens;
    }

    /** How many of the first guesses are thought to count: each needs all before it. */
    private static double tokens(double[] chances, int guesses) {
        double right = 1;
        double tokens = 0;
        for (int i = 0; i < guesses; i++) {
            right *= chances[i];
            tokens += right;
        }
        return tokens;
    }
}
