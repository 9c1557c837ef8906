package dev.varve.platform.engine;

import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.prefix.PrefixLookupResult;

import java.util.Optional;

/**
 * How a generation ended, and its cost.
 *
 * @param reason why it ended
 * @param tokens how many there were
 * @param times how long they took
 * @param cache what the prefix cache was good for
 * @param speculation what became of guesses
 * @param paging what became of its pages; empty where the attention cache is not bounded
 */
public record GenerationEnd(
        Reason reason,
        Tokens tokens,
        Times times,
        PrefixLookupResult cache,
        Speculation speculation,
        Optional<Paging> paging) {
    /** An end without guesses. */
    public GenerationEnd(Reason reason, Tokens tokens, Times times, PrefixLookupResult cache) {
        this(reason, tokens, times, cache, Speculation.NONE, Optional.empty());
    }

    /** Why a generation ends. */
    public enum Reason {
        /** The model chose an end token. */
        END_TOKEN,
        /** The listener asked to stop. */
        STOPPED,
        /** As many tokens were generated as were asked for. */
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
     * Where the time of a generation went.
     *
     * @param queueMillis time in the queue
     * @param prefillMillis time from leaving the queue to the first token
     * @param decodeMillis time from the first token to the end
     */
    public record Times(double queueMillis, double prefillMillis, double decodeMillis) {}

    /**
     * What became of guessed tokens.
     *
     * @param drafted guesses that were checked
     * @param accepted of these, the ones that were right
     * @param verifySteps steps that checked some
     */
    public record Speculation(int drafted, int accepted, int verifySteps) {
        /** Nothing was guessed. */
        public static final Speculation NONE = new Speculation(0, 0, 0);

        /**
         * Tokens that a checking step gave on average: the right guesses, and the one that the
         * model chose behind them. 0 without such a step.
         */
        public double acceptanceLength() {
            return verifySteps == 0 ? 0 : (double) (accepted + verifySteps) / verifySteps;
        }
    }

    /**
     * What became of the pages of a generation's sequence.
     *
     * @param policy what decided which pages stay
     * @param counts since it began
     * @param residentPages pages in its pool at the end
     * @param hostPages pages that were in host memory alone at the end
     */
    public record Paging(
            PagePolicy policy, PagingCounts counts, int residentPages, int hostPages) {}

    /** Tokens per second of prefill, 0 where no time passed. */
    public double prefillTokensPerSecond() {
        return perSecond(tokens.prompt() - tokens.cached(), times.prefillMillis());
    }

    /** Tokens per second of decode, 0 where no time passed. The first token belongs to prefill. */
    public double decodeTokensPerSecond() {
        return perSecond(Math.max(0, tokens.generated() - 1), times.decodeMillis());
    }

    private static double perSecond(int count, double millis) {
        return millis > 0 ? count * 1000.0 / millis : 0;
    }
}
