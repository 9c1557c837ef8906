package dev.varve.platform.paging;

import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Optional;

/**
 * How somebody wants the attention cache of sequences to be bounded; what becomes of it depends on
 * the model and its memory, see {@link PoolSizing}.
 *
 * @param size slots of each sequence's pool
 * @param policy which pages stay in it; empty for {@link #USUAL}
 * @param tau least tokens between two choices of pages, at least 1
 */
public record RequestedPaging(Size size, Optional<PagePolicy> policy, int tau) {
    /** The policy where nobody asked for another: it needs no second model, and fits every one. */
    public static final PagePolicy USUAL = PagePolicy.QK;

    /** Word for a size that follows from the memory. */
    public static final String AUTO = "auto";

    /** What may be asked for as a size, for people. */
    public static final String EXPECTED = "a positive number of tokens or " + AUTO;

    /** Slots of a pool, as they are asked for. */
    public sealed interface Size {
        /**
         * So many, in whole blocks.
         *
         * @param tokens positive
         */
        record Fixed(int tokens) implements Size {
            /** Checks that it is a number of tokens. */
            public Fixed {
                if (tokens < 1) {
                    throw new IllegalArgumentException(
                            Setting.KVFLASH + ": expected " + EXPECTED + ", found " + tokens);
                }
            }
        }

        /**
         * As many as half of the memory holds that weights and reserve leave free.
         *
         * @param mostTokens of that, at most so many; less than {@value #LEAST_MOST} counts as that
         * @param besideBytes what stays free beside the usual reserve, for whoever scores pages
         */
        record Automatic(int mostTokens, long besideBytes) implements Size {
            /** Most tokens where nobody said another number. */
            public static final int USUAL_MOST = 16_384;

            /** Least bound that can be set. */
            public static final int LEAST_MOST = 256;

            /** Raises a bound that is too low. */
            public Automatic {
                mostTokens = Math.max(LEAST_MOST, mostTokens);
            }

            /** Nothing stays free beside the usual reserve. */
            public Automatic(int mostTokens) {
                this(mostTokens, 0);
            }

            /** With the usual bound. */
            public Automatic() {
                this(USUAL_MOST);
            }
        }
    }

    /** Checks tau. */
    public RequestedPaging {
        Objects.requireNonNull(size);
        if (tau < 1) {
            throw new IllegalArgumentException(
                    Setting.KVFLASH_TAU + ": expected 1 or more, found " + tau);
        }
    }

    /** A pool of some tokens, and everything else as usual. */
    public static RequestedPaging of(int tokens) {
        return of(new Size.Fixed(tokens));
    }

    /** As many tokens as the memory suggests, and everything else as usual. */
    public static RequestedPaging automatic() {
        return of(new Size.Automatic());
    }

    /** A pool of some size, and everything else as usual. */
    public static RequestedPaging of(Size size) {
        return new RequestedPaging(size, Optional.empty(), PagingOptions.DEFAULT_TAU);
    }

    /** The same with a size that is known. */
    public RequestedPaging sized(int tokens) {
        return new RequestedPaging(new Size.Fixed(tokens), policy, tau);
    }

    /** The same beside somebody who takes so many bytes more, where the size depends on that. */
    public RequestedPaging beside(long bytes) {
        return size instanceof Size.Automatic(int most, long before)
                ? new RequestedPaging(new Size.Automatic(most, before + bytes), policy, tau)
                : this;
    }

    /** Whether the size follows from the memory. */
    public boolean isAutomatic() {
        return size instanceof Size.Automatic;
    }

    /** Which pages stay. */
    public PagePolicy chosenPolicy() {
        return policy.orElse(USUAL);
    }

    /** Whether pages are kept by scores, so that what has left a pool can come back to it. */
    public boolean scores() {
        return chosenPolicy() != PagePolicy.LRU;
    }

    /**
     * What an engine is told.
     *
     * @param poolTokens slots of a pool, as {@link PoolSizing} has worked them out
     */
    public PagingOptions options(int poolTokens) {
        return new PagingOptions(poolTokens, chosenPolicy(), tau);
    }
}
