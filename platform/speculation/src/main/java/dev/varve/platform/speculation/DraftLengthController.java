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
public final class DraftLengthController {
    /** Acceptance rate to assume before any draft token was verified. */
    private static final double UNTRIED = 0.7;

    /** Number of steps between two estimates of whether drafts pay; an estimate takes time, too. */
    private static final int OUTLOOK_STEPS = 32;

    /** Maximum factor on the time of a step for the sake of sequences without drafts. */
    private static final double UNHARMED = 1.05;

    /**
     * Number of consecutive choices without draft tokens after which drafts count as not worth
     * their cost; fewer may be chance.
     */
    private static final int PATIENCE = 8;

    private final int depth;
    private final OptionalInt width;
    private final boolean readsFeatures;
    private final AcceptanceRates rates;
    private final DraftLengthOptimizer widths;
    private final StepCosts costs = new StepCosts();

    /** Time for drafts by the number of sequences. */
    private final StepCosts overhead = new StepCosts();

    private final TreeGain trees;
    private final ExplorationBudget exploration = new ExplorationBudget();
    private final FeatureCollectionPolicy collection = new FeatureCollectionPolicy();

    /** Consecutive choices of no draft tokens, and the number of sequences of those steps. */
    private int refused;

    private int weighed;

    /**
     * Last estimate of whether drafts pay, with its numbers of sequences, and the steps since then.
     */
    private GainEstimate outlook = new GainEstimate(0, 0, true);

    private int sinceOutlook;

    /** Cost of the last trial of other draft lengths, in nanoseconds. */
    private double trial;

    private record GainEstimate(int sequences, int asked, boolean pays) {}

    /**
     * @param depth maximum draft length
     * @param width fixed draft length of every sequence; empty: chosen by cost
     * @param readsFeatures whether the speculator uses hidden states of the target
     * @param trees whether drafts may branch
     */
    public DraftLengthController(
            int depth, OptionalInt width, boolean readsFeatures, TreeOptions trees) {
        this.depth = depth;
        this.width = width;
        this.readsFeatures = readsFeatures;
        rates = new AcceptanceRates(depth);
        widths = new DraftLengthOptimizer(costs, depth);
        this.trees = new TreeGain(trees);
    }

    /** Creates a controller for drafts without branches. */
    public DraftLengthController(int depth, OptionalInt width, boolean readsFeatures) {
        this(depth, width, readsFeatures, TreeOptions.OFF);
    }

    /** Statistics of the trees of all sequences. */
    public TreeGain trees() {
        return trees;
    }

    /**
     * Returns the maximum size of the next drafts if they should be trees, or else 0; call it once
     * per round of drafts.
     */
    public int branched() {
        return trees.guesses();
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
        sinceOutlook++;
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
        collection.recordTime(tokens, nanos);
    }

    /** Whether to collect hidden states while this number of sequences decode. */
    public boolean collectsFeatures(int sequences) {
        return readsFeatures && (isFixed() || collection.isActive() || pays(sequences, sequences));
    }

    /**
     * Whether to request drafts; call it once before each step. If drafts did not pay, they are
     * tried again when enough time was saved for that.
     *
     * @param sequences number of sequences in the step
     * @param asked number of those that can have drafts
     */
    public boolean requestsDrafts(int sequences, int asked) {
        if (isFixed()) {
            return true;
        }
        double step = costs.of(sequences);
        if (step == 0) {
            return false;
        }
        if (collection.isActive()) {
            return collection.countStep();
        }
        if (pays(sequences, asked)) {
            return true;
        }
        double guessing = overhead.of(asked);
        double looking = readsFeatures ? collection.cost(asked) : 0;
        if (!readsFeatures && ExplorationBudget.isNothing(guessing, step)) {
            return true;
        }
        if (!exploration.affords(looking + guessing + trial)) {
            return false;
        }
        if (readsFeatures) {
            exploration.spend(looking);
            collection.begin();
        }
        return !readsFeatures;
    }

    /** Whether drafts with the usual acceptance rates would pay. */
    private boolean pays(int sequences, int asked) {
        if (costs.of(sequences) == 0) {
            return true;
        }
        if (refused >= PATIENCE && sequences == weighed) {
            return false;
        }
        if (outlook.sequences() != sequences
                || outlook.asked() != asked
                || sinceOutlook >= OUTLOOK_STEPS) {
            outlook = new GainEstimate(sequences, asked, weighUsual(sequences, asked));
            sinceOutlook = 0;
        }
        return outlook.pays();
    }

    private boolean weighUsual(int sequences, int asked) {
        boolean anyTried = false;
        for (int grade = 0; grade <= Draft.MOST_GRADE; grade++) {
            if (rates.tried(grade, 0) > 0) {
                anyTried = true;
                int[] best = widths.choose(usual(grade, asked), step(sequences, asked));
                if (isAny(best)) {
                    return true;
                }
            }
        }
        return !anyTried;
    }

    private List<DraftLengthOptimizer.Candidate> usual(int grade, int sequences) {
        double[] chances =
                IntStream.range(0, depth).mapToDouble(i -> rates.rate(grade, i, UNTRIED)).toArray();
        return Collections.nCopies(sequences, new DraftLengthOptimizer.Candidate(chances));
    }

    private DraftLengthOptimizer.Step step(int sequences, int asked) {
        return new DraftLengthOptimizer.Step(
                sequences,
                overhead.of(asked),
                asked == sequences ? Double.POSITIVE_INFINITY : UNHARMED);
    }

    private static boolean isAny(int[] counts) {
        return Arrays.stream(counts).anyMatch(count -> count > 0);
    }

    /**
     * A draft of a sequence.
     *
     * @param own acceptance rates of that sequence
     */
    public record DraftCandidate(Draft draft, AcceptanceRates own) {}

    /**
     * Chooses the draft lengths of a step.
     *
     * @param sequences number of sequences in the step
     * @return number of draft tokens of each offer to verify
     */
    public int[] choose(List<DraftCandidate> offers, int sequences) {
        if (trees.isForced()) {
            return all(offers);
        }
        if (width.isPresent()) {
            return offers.stream()
                    .mapToInt(offer -> Math.min(width.getAsInt(), offer.draft().spine()))
                    .toArray();
        }
        if (offers.stream().allMatch(offer -> offer.draft().tokens().length == 0)) {
            return new int[offers.size()];
        }
        List<DraftLengthOptimizer.Candidate> candidates =
                offers.stream().map(this::candidate).toList();
        DraftLengthOptimizer.Step step = step(sequences, offers.size());
        int[] chains = widths.choose(candidates, step);
        boolean branches =
                offers.stream().anyMatch(offer -> offer.draft().branches())
                        && branchesPay(candidates, step, all(offers), chains);
        int[] best = branches ? all(offers) : chains;
        boolean pays = isAny(best);
        if (pays != outlook.pays()) {
            sinceOutlook = OUTLOOK_STEPS;
        }
        refused = pays ? 0 : sequences == weighed ? refused + 1 : 1;
        weighed = sequences;
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
        trial = widths.loss(candidates, step, other, best);
        if (!exploration.affords(trial)) {
            return best;
        }
        exploration.spend(trial);
        return other;
    }

    private static int[] all(List<DraftCandidate> offers) {
        return offers.stream().mapToInt(offer -> offer.draft().tokens().length).toArray();
    }

    /** Whether to verify all draft tokens; sometimes also to measure the cost. */
    private boolean branchesPay(
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
        if (trees.weigh(
                widths.rate(candidates, branched, all), widths.rate(candidates, step, chains))) {
            return true;
        }
        double loss = widths.loss(candidates, step, all, chains);
        int columns = step.sequences() + Arrays.stream(all).sum();
        boolean learns = !costs.knows(columns) && exploration.affords(loss);
        if (learns) {
            exploration.spend(loss);
        }
        return learns;
    }

    private DraftLengthOptimizer.Candidate candidate(DraftCandidate offer) {
        int grade = offer.draft().grade();
        double[] chances = new double[offer.draft().spine()];
        for (int i = 0; i < chances.length; i++) {
            chances[i] = offer.own().rate(grade, i, rates.rate(grade, i, UNTRIED));
        }
        return new DraftLengthOptimizer.Candidate(chances, trees.gain(grade));
    }
}
