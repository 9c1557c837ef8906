package dev.varve.platform.engine;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.shard.ExpertCounts;

import java.util.Optional;

/**
 * Result of a generation: why it ended, and its cost.
 *
 * @param reason why it ended
 * @param tokens token counts
 * @param times durations
 * @param cache result of the prefix lookup
 * @param speculation counts of draft tokens
 * @param paging counts of its pages; empty if KV residency is not bounded
 * @param experts experts that all requests needed from its first step on, for weights that are
 *     streamed; empty otherwise
 */
public record GenerationEnd(
        Reason reason,
        Tokens tokens,
        Times times,
        PrefixLookupResult cache,
        Speculation speculation,
        Optional<Paging> paging,
        Optional<ExpertCounts> experts) {
    /** Creates an end without draft tokens. */
    public GenerationEnd(Reason reason, Tokens tokens, Times times, PrefixLookupResult cache) {
        this(reason, tokens, times, cache, Speculation.NONE, Optional.empty(), Optional.empty());
    }

    /** Returns a copy with counts of experts. */
    public GenerationEnd with(ExpertCounts counts) {
        return new GenerationEnd(
                reason, tokens, times, cache, speculation, paging, Optional.of(counts));
    }

    /** Why a generation ends. */
    public enum Reason {
        /** The model chose an end token. */
        END_TOKEN,
        /** The listener asked to stop. */
        STOPPED,
        /** The requested number of tokens was generated. */
        LENGTH
    }

    /**
     * Tokens of a generation.
     *
     * @param prompt tokens of the prompt
     * @param cached of these, tokens that needed no prefill
     * @param generated tokens chosen, the end token included
     */
    public record Tokens(int prompt, int cached, int generated) {}

    /**
     * Durations of the phases of a generation.
     *
     * @param queueMillis time in the queue
     * @param prefillMillis time from leaving the queue to the first token
     * @param decodeMillis time from the first token to the end
     */
    public record Times(double queueMillis, double prefillMillis, double decodeMillis) {}

    /**
     * Counts of the draft tokens of a generation.
     *
     * @param drafted verified draft tokens
     * @param accepted accepted draft tokens
     * @param verifySteps steps that verified draft tokens
     */
    public record Speculation(int drafted, int accepted, int verifySteps) {
        /** No draft tokens. */
        public static final Speculation NONE = new Speculation(0, 0, 0);

        /**
         * Returns the average tokens of a verifying step: the accepted draft tokens, and the one
         * that the model chose after them. 0 without such a step.
         */
        public double acceptanceLength() {
            return verifySteps == 0 ? 0 : (double) (accepted + verifySteps) / verifySteps;
        }
    }

    /**
     * Counts of the pages of a generation's sequence.
     *
     * @param policy policy that selected the resident pages
     * @param counts counts since the generation began
     * @param residentPages pages in its pool at the end
     * @param hostPages pages that were only in host memory at the end
     */
    public record Paging(
            PagePolicy policy, PagingCounts counts, int residentPages, int hostPages) {}

    /** Returns the tokens per second of prefill, 0 if no time passed. */
    public double prefillTokensPerSecond() {
        return perSecond(tokens.prompt() - tokens.cached(), times.prefillMillis());
    }

    /**
     * Returns the tokens per second of decode, 0 if no time passed. The first token belongs to
     * prefill.
     */
    public double decodeTokensPerSecond() {
        return perSecond(Math.max(0, tokens.generated() - 1), times.decodeMillis());
    }

    private static double perSecond(int count, double millis) {
        return millis > 0 ? count * 1000.0 / millis : 0;
    }
}
