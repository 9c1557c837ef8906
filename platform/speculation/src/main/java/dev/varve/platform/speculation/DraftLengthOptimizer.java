package dev.varve.platform.speculation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses the draft length of each sequence in the next step: the one with the most tokens per
 * time, by measured step costs and acceptance rates.
 *
 * <p>A sequence has no draft tokens, or as many as the others as far as its draft is long enough,
 * in few sizes: each other step needs another graph, chunks of one length are computed together,
 * and fewer kinds of steps have better measured costs.
 */
public final class DraftLengthOptimizer {
    /**
     * Factor on the rate without drafts that drafts must reach, since their cost is never known
     * exactly.
     */
    private static final double MIN_GAIN = 1.02;

    /**
     * Factor by which fewer draft tokens must be better than more of them: each other size is
     * another graph.
     */
    private static final double CLEARLY = 1.03;

    private final StepCosts costs;
    private final int depth;

    /**
     * A sequence with a draft.
     *
     * @param probabilities per draft token, the chance that it is accepted if all before it are
     * @param gain additional expected tokens from the draft tokens beyond these, if all are
     *     verified
     */
    public record Candidate(double[] probabilities, double gain) {
        /** Creates a candidate without branches. */
        public Candidate(double[] probabilities) {
            this(probabilities, 0);
        }
    }

    /**
     * Properties of a step.
     *
     * @param sequences all sequences in the step, each with one known token
     * @param overhead time for the drafts in addition to the step, in nanoseconds
     * @param slowest maximum factor on the time of a step without drafts, for the sake of sequences
     *     without drafts
     */
    public record Step(int sequences, double overhead, double slowest) {}

    /**
     * Creates an optimizer with measured costs.
     *
     * @param depth maximum draft length
     */
    public DraftLengthOptimizer(StepCosts costs, int depth) {
        this.costs = costs;
        this.depth = depth;
    }

    /** Returns the largest usual draft length up to a maximum: 1, 3, 7, 15 and so on, or all. */
    int usual(int most) {
        return most >= depth ? depth : Integer.highestOneBit(most + 1) - 1;
    }

    /**
     * Chooses the draft lengths.
     *
     * @return number of draft tokens of each candidate to verify
     */
    public int[] choose(List<Candidate> candidates, Step step) {
        double plain = costs.of(step.sequences());
        Choice best = new Choice(new int[candidates.size()], MIN_GAIN * step.sequences() / plain);
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
     * Draft length of each candidate, and the expected tokens per time; 0 if the step takes too
     * long.
     */
    private record Choice(int[] counts, double rate) {}

    /** Chooses the candidates that get drafts of a given length. */
    private Choice choose(List<Candidate> candidates, Step step, int width) {
        Choice best = new Choice(new int[0], 0);
        int[] counts = new int[candidates.size()];
        double tokens = step.sequences();
        int columns = step.sequences();
        for (DraftGain gain : draftGains(candidates, width)) {
            counts[gain.candidate()] = gain.draftTokens();
            tokens += gain.tokens();
            columns += gain.draftTokens();
            double time = costs.of(columns) + step.overhead();
            double longest = step.slowest() * costs.of(step.sequences());
            if (tokens / time > best.rate() && time <= longest) {
                best = new Choice(counts.clone(), tokens / time);
            }
        }
        return best;
    }

    /**
     * Draft of a candidate.
     *
     * @param tokens expected number of accepted draft tokens
     */
    private record DraftGain(int candidate, int draftTokens, double tokens) {
        double tokensPerDraftToken() {
            return tokens / draftTokens;
        }
    }

    /** Drafts of the candidates for a length, the best first. */
    private List<DraftGain> draftGains(List<Candidate> candidates, int width) {
        List<DraftGain> gains = new ArrayList<>();
        for (int i = 0; i < candidates.size(); i++) {
            double[] probabilities = candidates.get(i).probabilities();
            int draftTokens = usual(Math.min(width, probabilities.length));
            if (draftTokens > 0) {
                gains.add(new DraftGain(i, draftTokens, tokens(probabilities, draftTokens)));
            }
        }
        gains.sort(Comparator.comparingDouble(DraftGain::tokensPerDraftToken).reversed());
        return gains;
    }

    /**
     * Returns the cost of verifying other draft lengths than the best: the time of that step, minus
     * the time in which the best choice gives as many tokens.
     *
     * @return nanoseconds
     */
    public double loss(List<Candidate> candidates, Step step, int[] counts, int[] best) {
        double worth = nanos(step, best) / tokens(candidates, step, best);
        return nanos(step, counts) - tokens(candidates, step, counts) * worth;
    }

    /** Expected tokens per nanosecond of a step. */
    public double rate(List<Candidate> candidates, Step step, int[] counts) {
        return tokens(candidates, step, counts) / nanos(step, counts);
    }

    /** Expected time of a step, in nanoseconds. */
    public double nanos(Step step, int[] counts) {
        int draftTokens = Arrays.stream(counts).sum();
        return costs.of(step.sequences() + draftTokens) + (draftTokens > 0 ? step.overhead() : 0);
    }

    private static double tokens(List<Candidate> candidates, Step step, int[] counts) {
        double tokens = step.sequences();
        for (int i = 0; i < counts.length; i++) {
            Candidate candidate = candidates.get(i);
            int length = candidate.probabilities().length;
            tokens += tokens(candidate.probabilities(), Math.min(counts[i], length));
            tokens += counts[i] > length ? candidate.gain() : 0;
        }
        return tokens;
    }

    /** Expected number of accepted tokens among the first ones: each requires all before it. */
    private static double tokens(double[] probabilities, int draftTokens) {
        double right = 1;
        double tokens = 0;
        for (int i = 0; i < draftTokens; i++) {
            right *= probabilities[i];
            tokens += right;
        }
        return tokens;
    }
}
