package dev.varve.platform.speculation;

import dev.varve.api.speculation.Draft;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Controls speculative decoding by measured costs, unless a draft length is given: whether to
 * collect the target's hidden states, whether to request drafts, and how many draft tokens a step
 * verifies. For the engine's thread only.
 */
public final class SpeculationController {
    /** Acceptance rate to assume before any draft token was verified. */
    private static final double UNTRIED = 0.7;

    /** Number of steps between two estimates of whether drafts pay; an estimate takes time, too. */
    private static final int GAIN_ESTIMATE_STEPS = 32;

    /** Maximum factor on the time of a step for the sake of sequences without drafts. */
    private static final double MAX_SLOWDOWN = 1.05;

    /**
     * Number of consecutive choices without draft tokens after which drafts count as not worth
     * their cost; fewer may be chance.
     */
    private static final int MAX_REFUSALS = 8;

    private final int depth;
    private final OptionalInt width;
    private final boolean readsFeatures;
    private final AcceptanceRates rates;
    private final DraftLengthOptimizer widths;
    private final StepCosts costs = new StepCosts();

    /** Time for drafts by the number of sequences. */
    private final StepCosts overhead = new StepCosts();

    private final TreeGainTracker trees;
    private final ExplorationBudget exploration = new ExplorationBudget();
    private final FeatureProbeSchedule probeSchedule = new FeatureProbeSchedule();

    /** Consecutive choices of no draft tokens, and the number of sequences of those steps. */
    private int refused;

    private int refusedSequences;

    /**
     * Last estimate of whether drafts pay, with its numbers of sequences, and the steps since then.
     */
    private GainEstimate gainEstimate = new GainEstimate(0, 0, true);

    private int stepsSinceEstimate;

    /** Cost of the last exploration of other draft lengths, in nanoseconds. */
    private double explorationCost;

    private record GainEstimate(int sequences, int requested, boolean profitable) {}

    /**
     * @param depth maximum draft length
     * @param width fixed draft length of every sequence; empty: chosen by cost
     * @param readsFeatures whether the speculator uses hidden states of the target
     * @param trees whether drafts may branch
     */
    public SpeculationController(
            int depth, OptionalInt width, boolean readsFeatures, TreeOptions trees) {
        this.depth = depth;
        this.width = width;
        this.readsFeatures = readsFeatures;
        rates = new AcceptanceRates(depth);
        widths = new DraftLengthOptimizer(costs, depth);
        this.trees = new TreeGainTracker(trees);
    }

    /** Creates a controller for drafts without branches. */
    public SpeculationController(int depth, OptionalInt width, boolean readsFeatures) {
        this(depth, width, readsFeatures, TreeOptions.OFF);
    }

    /** Statistics of the trees of all sequences. */
    public TreeGainTracker trees() {
        return trees;
    }

    /**
     * Returns the maximum size of the next drafts if they should be trees, or else 0; call it once
     * per round of drafts.
     */
    public int branched() {
        return trees.draftTokens();
    }

    private boolean isFixed() {
        return width.isPresent() || trees.isForced();
    }

    /** Acceptance rates of all sequences. */
    public AcceptanceRates rates() {
        return rates;
    }

    /** Records the time of a decode step. */
    public void recordStepTime(int tokens, long nanos) {
        stepsSinceEstimate++;
        costs.measured(tokens, nanos);
        exploration.recordStepTime(nanos);
    }

    /**
     * Records the time for drafts.
     *
     * @param sequences number of sequences that got a draft
     * @param branched whether trees were requested
     */
    public void recordDraftTime(int sequences, boolean branched, long nanos) {
        if (sequences > 0 && branched) {
            trees.recordDraftTime(sequences, nanos);
        } else if (sequences > 0) {
            overhead.measured(sequences, nanos);
        }
    }

    /** Records the time for processing the hidden states of some tokens. */
    public void recordFeatureTime(int tokens, long nanos) {
        probeSchedule.recordTime(tokens, nanos);
    }

    /** Whether to collect hidden states while this number of sequences decode. */
    public boolean collectsFeatures(int sequences) {
        return readsFeatures
                && (isFixed() || probeSchedule.isActive() || isProfitable(sequences, sequences));
    }

    /**
     * Whether to request drafts; call it once before each step. If drafts did not pay, they are
     * tried again when enough time was saved for that.
     *
     * @param sequences number of sequences in the step
     * @param requested number of those that can have drafts
     */
    public boolean requestsDrafts(int sequences, int requested) {
        if (isFixed()) {
            return true;
        }
        double step = costs.of(sequences);
        if (step == 0) {
            return false;
        }
        if (probeSchedule.isActive()) {
            return probeSchedule.countStep();
        }
        if (isProfitable(sequences, requested)) {
            return true;
        }
        double draftingCost = overhead.of(requested);
        double collectionCost = readsFeatures ? probeSchedule.cost(requested) : 0;
        if (!readsFeatures && ExplorationBudget.isNothing(draftingCost, step)) {
            return true;
        }
        if (!exploration.canSpend(collectionCost + draftingCost + explorationCost)) {
            return false;
        }
        if (readsFeatures) {
            exploration.spend(collectionCost);
            probeSchedule.begin();
        }
        return !readsFeatures;
    }

    /** Whether drafts with the usual acceptance rates would pay. */
    private boolean isProfitable(int sequences, int requested) {
        if (costs.of(sequences) == 0) {
            return true;
        }
        if (refused >= MAX_REFUSALS && sequences == refusedSequences) {
            return false;
        }
        if (gainEstimate.sequences() != sequences
                || gainEstimate.requested() != requested
                || stepsSinceEstimate >= GAIN_ESTIMATE_STEPS) {
            gainEstimate =
                    new GainEstimate(sequences, requested, estimateGain(sequences, requested));
            stepsSinceEstimate = 0;
        }
        return gainEstimate.profitable();
    }

    private boolean estimateGain(int sequences, int requested) {
        boolean anyVerified = false;
        for (int grade = 0; grade <= Draft.MOST_GRADE; grade++) {
            if (rates.verifiedWeight(grade, 0) > 0) {
                anyVerified = true;
                int[] best = widths.choose(usual(grade, requested), step(sequences, requested));
                if (isAny(best)) {
                    return true;
                }
            }
        }
        return !anyVerified;
    }

    private List<DraftLengthOptimizer.Candidate> usual(int grade, int sequences) {
        double[] probabilities =
                IntStream.range(0, depth).mapToDouble(i -> rates.rate(grade, i, UNTRIED)).toArray();
        return Collections.nCopies(sequences, new DraftLengthOptimizer.Candidate(probabilities));
    }

    private DraftLengthOptimizer.Step step(int sequences, int requested) {
        return new DraftLengthOptimizer.Step(
                sequences,
                overhead.of(requested),
                requested == sequences ? Double.POSITIVE_INFINITY : MAX_SLOWDOWN);
    }

    private static boolean isAny(int[] counts) {
        return Arrays.stream(counts).anyMatch(count -> count > 0);
    }

    /**
     * A draft of a sequence.
     *
     * @param own acceptance rates of that sequence
     */
    public record DraftWithRates(Draft draft, AcceptanceRates own) {}

    /**
     * Chooses the draft lengths of a step.
     *
     * @param sequences number of sequences in the step
     * @return number of draft tokens of each draft to verify
     */
    public int[] choose(List<DraftWithRates> draftCandidates, int sequences) {
        if (trees.isForced()) {
            return all(draftCandidates);
        }
        if (width.isPresent()) {
            return draftCandidates.stream()
                    .mapToInt(
                            draftCandidate ->
                                    Math.min(width.getAsInt(), draftCandidate.draft().spine()))
                    .toArray();
        }
        if (draftCandidates.stream()
                .allMatch(draftCandidate -> draftCandidate.draft().tokens().length == 0)) {
            return new int[draftCandidates.size()];
        }
        List<DraftLengthOptimizer.Candidate> candidates =
                draftCandidates.stream().map(this::candidate).toList();
        DraftLengthOptimizer.Step step = step(sequences, draftCandidates.size());
        int[] chains = widths.choose(candidates, step);
        boolean branches =
                draftCandidates.stream()
                                .anyMatch(draftCandidate -> draftCandidate.draft().branches())
                        && branchesAreFaster(candidates, step, all(draftCandidates), chains);
        int[] best = branches ? all(draftCandidates) : chains;
        boolean pays = isAny(best);
        if (pays != gainEstimate.profitable()) {
            stepsSinceEstimate = GAIN_ESTIMATE_STEPS;
        }
        refused = pays ? 0 : sequences == refusedSequences ? refused + 1 : 1;
        refusedSequences = sequences;
        if (!pays && !ExplorationBudget.isNothing(step.overhead(), costs.of(sequences))) {
            exploration.spend(step.overhead());
        }
        if (branches) {
            return best;
        }
        int[] other = exploration.more(widths, candidates, best);
        if (Arrays.equals(best, other)
                || widths.nanos(step, other) > step.slowest() * costs.of(sequences)) {
            return best;
        }
        explorationCost = widths.loss(candidates, step, other, best);
        if (!exploration.canSpend(explorationCost)) {
            return best;
        }
        exploration.spend(explorationCost);
        return other;
    }

    private static int[] all(List<DraftWithRates> draftCandidates) {
        return draftCandidates.stream()
                .mapToInt(draftCandidate -> draftCandidate.draft().tokens().length)
                .toArray();
    }

    /** Whether to verify all draft tokens; sometimes also to measure the cost. */
    private boolean branchesAreFaster(
            List<DraftLengthOptimizer.Candidate> candidates,
            DraftLengthOptimizer.Step step,
            int[] all,
            int[] chains) {
        DraftLengthOptimizer.Step branched =
                new DraftLengthOptimizer.Step(
                        step.sequences(),
                        trees.overhead(candidates.size(), step.overhead()),
                        step.slowest());
        double slowest = step.slowest() * costs.of(step.sequences());
        if (widths.nanos(branched, all) > slowest) {
            return false;
        }
        if (trees.compare(
                widths.rate(candidates, branched, all), widths.rate(candidates, step, chains))) {
            return true;
        }
        double loss = widths.loss(candidates, step, all, chains);
        int columns = step.sequences() + Arrays.stream(all).sum();
        boolean learns = !costs.knows(columns) && exploration.canSpend(loss);
        if (learns) {
            exploration.spend(loss);
        }
        return learns;
    }

    private DraftLengthOptimizer.Candidate candidate(DraftWithRates draftCandidate) {
        int grade = draftCandidate.draft().grade();
        double[] probabilities = new double[draftCandidate.draft().spine()];
        for (int i = 0; i < probabilities.length; i++) {
            probabilities[i] = draftCandidate.own().rate(grade, i, rates.rate(grade, i, UNTRIED));
        }
        return new DraftLengthOptimizer.Candidate(probabilities, trees.gain(grade));
    }
}
