package dev.varve.platform.sampling;

import dev.varve.api.VarveException;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Chooses the tokens of one sequence from its rows of logits. For one thread at a time.
 *
 * <p>The order is: logit bias; repetition penalty on the distinct tokens among the latest ones of
 * prompt and generated text; frequency and presence penalty, which count generated tokens only;
 * then, at temperature 0, the highest logit with the lowest id on ties, else top-k, softmax at the
 * temperature, top-p on these probabilities (the shortest list of best tokens that reaches p),
 * min-p, one draw over the remaining tokens in the order of their ids. Suppressed tokens are never
 * chosen. A temperature below {@value #LEAST_TEMPERATURE} counts as 0.
 *
 * <p>DRY changes logits after the other penalties; top-n-sigma comes before top-k, typical sampling
 * before top-p, and XTC after min-p. Mirostat replaces all cut-offs.
 *
 * <p>With a seed the same rows result in the same tokens: every choice at a temperature uses
 * exactly one number of the generator, however many tokens remain. Choices {@linkplain #sampleAmong
 * among some tokens} have a generator of their own.
 *
 * <p>Runs per token: buffers of the vocabulary's length are allocated at the first call that needs
 * them and kept.
 */
public final class Sampler {
    static final float LEAST_TEMPERATURE = 1e-3f;

    private final SamplingOptions options;
    private final int vocabularySize;
    private final LogitAdjustments adjustments;
    private final SplitMix64 random;

    /** Used only for choices among some tokens, so that they do not shift later choices. */
    private final SplitMix64 otherRandom;

    private final WeightFunction function = new WeightFunction();
    private final Candidates candidates = new Candidates();
    private final TopRow top = new TopRow();
    private final DeviceArgmax maxima;
    private final AdvancedDraw advancedDraw;
    private final SplitMix64 xtcRandom;
    private final boolean onlyLowersLogits;
    private final float[] sortedMaxima;
    private float[] adjusted = {};
    private SoftmaxWeights weights = new SoftmaxWeights(0, function);

    /**
     * @throws VarveException if the logit bias names a token outside the vocabulary or a number
     *     that is not finite
     */
    public Sampler(SamplingOptions options, int vocabularySize) {
        this(options, vocabularySize, new int[0]);
    }

    /**
     * @param suppressed tokens that are never chosen; copied
     * @throws VarveException if the logit bias names a token outside the vocabulary or a number
     *     that is not finite
     */
    public Sampler(SamplingOptions options, int vocabularySize, int[] suppressed) {
        if (vocabularySize < 1) {
            throw new IllegalArgumentException(
                    "vocabulary: expected at least 1 token, found " + vocabularySize);
        }
        for (int token : suppressed) {
            Objects.checkIndex(token, vocabularySize);
        }
        this.options = options;
        this.vocabularySize = vocabularySize;
        this.adjustments = new LogitAdjustments(options, vocabularySize, suppressed);
        long seed = options.seed().orElseGet(() -> ThreadLocalRandom.current().nextLong());
        this.random = new SplitMix64(seed);
        this.otherRandom = new SplitMix64(new SplitMix64(~seed).nextLong());
        this.maxima = new DeviceArgmax(vocabularySize);
        this.advancedDraw = new AdvancedDraw(options, vocabularySize, function);
        this.xtcRandom = new SplitMix64(new SplitMix64(seed + 1).nextLong());
        this.onlyLowersLogits = options.onlyLowersLogits();
        this.sortedMaxima = new float[maxima.count()];
    }

    /** Adds a prompt to the window of the repetition penalty. */
    public void acceptPrompt(int[] prompt) {
        for (int token : prompt) {
            Objects.checkIndex(token, vocabularySize);
        }
        adjustments.acceptPrompt(prompt);
    }

    /** Adds a token to the generated text, for all penalties. */
    public void accept(int token) {
        adjustments.acceptGenerated(Objects.checkIndex(token, vocabularySize));
        advancedDraw.accept();
    }

    /**
     * Chooses a token; the caller decides whether to {@link #accept} it.
     *
     * @param logits holds the row {@code [offset, offset + vocabularySize)}; not changed
     * @throws VarveException if a logit is not a number, or no token with a finite one may be
     *     chosen
     */
    public int sample(float[] logits, int offset) {
        Objects.checkFromIndexSize(offset, vocabularySize, logits.length);
        if (options.temperature() < LEAST_TEMPERATURE) {
            return mostLikely(logits, offset);
        }
        double uniform = random.nextUniform();
        if (adjustments.changesLogits() || adjustments.suppressesTokens()) {
            return draw(adjust(logits, offset), 0, uniform, xtcRandom);
        }
        return draw(logits, offset, uniform, xtcRandom);
    }

    /**
     * Returns whether {@link #sampleTop} with the {@code count} best tokens of a row is possible
     * for every row.
     */
    public boolean choosesAmongTop(int count) {
        return options.drawsAmongTop(count - adjustments.suppressedCount());
    }

    /**
     * Returns whether {@link #sampleTop} with the {@code count} best tokens of a row is possible
     * for some rows: those for which {@link #isDecidedByTop} is true.
     */
    public boolean mayChooseAmongTop(int count) {
        return onlyLowersLogits && options.mayDrawAmongTop(count);
    }

    /**
     * Returns whether the best tokens of a row decide the choice: no other token could be chosen
     * from the whole row. Changes no state.
     *
     * @param allowed permitted tokens
     * @param ids the best tokens of the row, ascending; all other tokens of the row have smaller
     *     logits
     * @param logits of these tokens, finite
     */
    public boolean isDecidedByTop(IntPredicate allowed, int[] ids, float[] logits) {
        if (!mayChooseAmongTop(ids.length)) {
            return false;
        }
        top.load(ids, logits, adjustments);
        return top.decides(options, allowed);
    }

    /** Returns the token that {@link #sampleTop} will choose. Changes no state. */
    public int previewTop(int[] ids, float[] logits) {
        return chooseTop(ids, logits, random.copy());
    }

    /**
     * Chooses the token that {@link #sample} would choose from a whole row.
     *
     * @param ids the best tokens of the row, ascending, which {@linkplain #isDecidedByTop decide}
     *     the choice among all tokens
     * @param logits of these tokens, finite
     */
    public int sampleTop(int[] ids, float[] logits) {
        return chooseTop(ids, logits, random);
    }

    private int chooseTop(int[] ids, float[] logits, SplitMix64 numbers) {
        requireDecision(token -> true, ids, logits);
        return options.isGreedy() ? top.best() : drawAmongTop(numbers.nextUniform());
    }

    /**
     * Chooses the token that {@link #sampleAmong} would choose from a whole row.
     *
     * @param allowed permitted tokens
     * @param ids the best tokens of the row, ascending, which {@linkplain #isDecidedByTop decide}
     *     the choice among the permitted tokens
     * @param logits of these tokens, finite
     */
    public int sampleTopAmong(TokenMask allowed, int[] ids, float[] logits) {
        requireDecision(allowed::allows, ids, logits);
        top.retain(allowed::allows);
        return options.isGreedy() ? top.best() : drawAmongTop(otherRandom.nextUniform());
    }

    private void requireDecision(IntPredicate allowed, int[] ids, float[] logits) {
        if (!isDecidedByTop(allowed, ids, logits)) {
            throw new IllegalArgumentException(
                    "the choice needs more than " + ids.length + " logits");
        }
    }

    private int drawAmongTop(double uniform) {
        float highest = top.copyTo(candidates);
        if (options.cutoffs().topK() > 0) {
            return drawAmongBest(highest, uniform);
        }
        candidates.computeWeights(function, highest, options.temperature());
        return drawNear(highest, uniform);
    }

    /**
     * Chooses a token among some, after {@link #sample} chose another one from the same row. The
     * order of the steps is the same, but all other tokens count as suppressed and are not counted
     * by the cut-offs.
     *
     * <p>Without cut-offs both choices together sample the model's distribution restricted to the
     * mask. Let P be the probability of all tokens of the mask. A token of the mask with
     * probability p is chosen at once with probability p. Otherwise, with probability 1 - P, the
     * first choice is outside the mask, and the second one chooses it with p / P. Together: p + (1
     * - P) p / P = p / P. If the model follows its instructions, most choices therefore need no
     * mask. With cut-offs, those of the first choice apply to the whole row: a token of the mask
     * that they keep keeps its share there, and the share of the other kept tokens is distributed
     * within the mask.
     *
     * @param allowed permitted tokens; tokens beyond the vocabulary are ignored
     * @param logits holds the row {@code [offset, offset + vocabularySize)}; not changed
     * @throws VarveException if none of them can be chosen
     */
    public int sampleAmong(TokenMask allowed, float[] logits, int offset) {
        Objects.checkFromIndexSize(offset, vocabularySize, logits.length);
        if (options.temperature() < LEAST_TEMPERATURE && !adjustments.changesLogits()) {
            return requireAny(allowed, mostLikely(allowed, logits, offset));
        }
        float[] row = adjust(logits, offset);
        int first = mostLikely(allowed, row, 0);
        if (first < 0 && adjustments.delaysEnd()) {
            // After a complete match the grammar permits only end tokens.
            row = adjustWithoutDelay(logits, offset);
            first = mostLikely(allowed, row, 0);
        }
        int best = requireAny(allowed, first);
        if (options.temperature() < LEAST_TEMPERATURE) {
            return best;
        }
        MaskedRow.keep(allowed, row);
        return draw(row, 0, otherRandom.nextUniform(), otherRandom);
    }

    private int mostLikely(TokenMask allowed, float[] row, int offset) {
        return MaskedRow.argmax(allowed, row, offset, vocabularySize, adjustments);
    }

    private static int requireAny(TokenMask allowed, int best) {
        if (best < 0) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    "none of the "
                            + allowed.cardinality()
                            + " permitted tokens can be chosen: the model or its file excludes"
                            + " all of them");
        }
        return best;
    }

    /**
     * Returns the index of the highest logit of {@code [offset, offset + length)}, counted from the
     * offset; the lowest on ties.
     *
     * @throws VarveException if a logit is not a number or the highest one is infinite
     */
    public static int argmax(float[] logits, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, logits.length);
        return DeviceArgmax.argmax(logits, offset, length);
    }

    /**
     * Returns log probabilities under the model's own distribution: natural logarithms, before
     * bias, penalties, temperature and filters, and with the suppressed tokens.
     *
     * @param chosen the token that was chosen
     * @param top number of most likely tokens to return, 0 or more
     * @throws VarveException if a logit is not a number or the highest one is infinite
     */
    public TokenLogprobs logprobs(float[] logits, int offset, int chosen, int top) {
        Objects.checkFromIndexSize(offset, vocabularySize, logits.length);
        Objects.checkIndex(chosen, vocabularySize);
        if (top < 0) {
            throw new IllegalArgumentException("top: expected 0 or more, found " + top);
        }
        maxima.scan(logits, offset);
        double logTotal = maxima.highest() + Math.log(computeWeights(logits, offset, 1).total());
        BestTokens best = new BestTokens(Math.min(top, vocabularySize));
        for (int block = 0; block < maxima.count(); block++) {
            if (best.isCandidate(maxima.block(block))) {
                for (int token = maxima.begin(block); token < maxima.end(block); token++) {
                    best.add(token, logits[offset + token]);
                }
            }
        }
        List<TokenLogprobs.Alternative> alternatives =
                IntStream.of(best.ids())
                        .mapToObj(
                                token ->
                                        new TokenLogprobs.Alternative(
                                                token, (float) (logits[offset + token] - logTotal)))
                        .toList();
        return new TokenLogprobs((float) (logits[offset + chosen] - logTotal), alternatives);
    }

    private int mostLikely(float[] logits, int offset) {
        if (!adjustments.changesLogits()) {
            int best = DeviceArgmax.argmax(logits, offset, vocabularySize);
            if (!adjustments.isSuppressed(best)) {
                return best;
            }
        }
        return DeviceArgmax.argmax(adjust(logits, offset), 0, vocabularySize);
    }

    private float[] adjust(float[] logits, int offset) {
        float[] row = adjustWithoutDelay(logits, offset);
        adjustments.delayEnd(row);
        return row;
    }

    private float[] adjustWithoutDelay(float[] logits, int offset) {
        if (adjusted.length == 0) {
            adjusted = new float[vocabularySize];
        }
        System.arraycopy(logits, offset, adjusted, 0, vocabularySize);
        adjustments.apply(adjusted);
        return adjusted;
    }

    private int draw(float[] row, int offset, double uniform, SplitMix64 xtcChoices) {
        maxima.scan(row, offset);
        if (options.needsWholeRow()) {
            return advancedDraw.draw(row, offset, maxima, uniform, xtcChoices);
        }
        double temperature = options.temperature();
        boolean limitsCount =
                options.cutoffs().topK() > 0 && options.cutoffs().topK() < vocabularySize;
        if (limitsCount) {
            // A token that can never be chosen is no candidate.
            float least = Math.max(leastOfBest(options.cutoffs().topK()), -Float.MAX_VALUE);
            candidates.collect(row, offset, maxima, least);
            return drawAmongBest(maxima.highest(), uniform);
        } else if (options.cutoffs().topP() < 1) {
            SoftmaxWeights all = computeWeights(row, offset, temperature);
            // Tokens below this weight together have less than (1 - p) of the total, so those above
            // it reach p without them.
            double leastWeight =
                    (1 - (double) options.cutoffs().topP()) * all.total() / vocabularySize;
            candidates.collect(row, offset, maxima, below(Math.log(leastWeight)));
            candidates.computeWeights(all);
            keepTopP(all.total());
        } else if (options.cutoffs().minP() > 0) {
            candidates.collect(row, offset, maxima, below(Math.log(options.cutoffs().minP())));
            candidates.computeWeights(function, maxima.highest(), temperature);
        } else {
            return computeWeights(row, offset, temperature).draw(uniform);
        }
        return drawNear(maxima.highest(), uniform);
    }

    /** Keeps the top-k of the candidates and draws one. */
    private int drawAmongBest(float highest, double uniform) {
        candidates.keepBest(options.cutoffs().topK(), highest);
        candidates.computeWeights(function, highest, options.temperature());
        keepTopP(candidates.totalWeight());
        return drawNear(highest, uniform);
    }

    private int drawNear(float highest, double uniform) {
        if (options.cutoffs().minP() > 0) {
            candidates.keepNear(highest, options.temperature(), Math.log(options.cutoffs().minP()));
        }
        return candidates.draw(uniform);
    }

    private void keepTopP(double total) {
        if (options.cutoffs().topP() < 1) {
            candidates.keepUntil(options.cutoffs().topP() * total);
        }
    }

    /**
     * Returns a logit that the best {@code count} tokens reach: each of the {@code count} blocks
     * with the highest maxima holds a token that does.
     */
    private float leastOfBest(int count) {
        if (count > sortedMaxima.length) {
            return Float.NEGATIVE_INFINITY;
        }
        maxima.copyTo(sortedMaxima);
        Arrays.sort(sortedMaxima);
        return sortedMaxima[sortedMaxima.length - count];
    }

    /**
     * Returns a logit a little below the one whose weight has this logarithm, so that rounding
     * loses no token.
     */
    private float below(double logWeight) {
        return Math.nextDown(
                (float) (maxima.highest() + options.temperature() * (logWeight - 1e-5)));
    }

    private SoftmaxWeights computeWeights(float[] row, int offset, double temperature) {
        if (weights.total() == 0) {
            weights = new SoftmaxWeights(vocabularySize, function);
        }
        weights.compute(row, offset, maxima, temperature);
        return weights;
    }
}
