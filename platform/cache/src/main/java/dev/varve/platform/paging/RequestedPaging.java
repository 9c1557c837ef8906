package dev.varve.platform.paging;

import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Optional;

/**
 * Requested bound of the KV cache of sequences; {@link ResidentPoolSizing} computes the result for
 * a model and its memory.
 *
 * @param size slots of each sequence's pool
 * @param policy which pages stay in it; empty for {@link #USUAL}
 * @param tau minimum tokens between two choices of pages, at least 1
 */
public record RequestedPaging(Size size, Optional<PagePolicy> policy, int tau) {
    /** The default policy: it needs no second model, and works with every model. */
    public static final PagePolicy USUAL = PagePolicy.QK;

    /** Setting for a size that depends on the memory. */
    public static final String AUTO = "auto";

    /** Description of valid sizes, for messages. */
    public static final String EXPECTED = "a positive number of tokens or " + AUTO;

    /** Requested slots of a pool. */
    public sealed interface Size {
        /**
         * A fixed number, in whole blocks.
         *
         * @param tokens positive
         */
        record Fixed(int tokens) implements Size {
            /** Checks that the number is positive. */
            public Fixed {
                if (tokens < 1) {
                    throw new IllegalArgumentException(
                            Setting.KVFLASH + ": expected " + EXPECTED + ", found " + tokens);
                }
            }
        }

        /**
         * As many slots as fit half of the memory that weights and the reserve leave free.
         *
         * @param mostTokens maximum of that number; a value below {@value #LEAST_MOST} is raised to
         *     it
         * @param besideBytes bytes that stay free in addition to the default reserve, for a page
         *     scorer
         */
        record Automatic(int mostTokens, long besideBytes) implements Size {
            /** Default maximum. */
            public static final int USUAL_MOST = 16_384;

            /** Smallest maximum. */
            public static final int LEAST_MOST = 256;

            /** Raises a maximum that is too low. */
            public Automatic {
                mostTokens = Math.max(LEAST_MOST, mostTokens);
            }

            /** Creates a size without additional free bytes. */
            public Automatic(int mostTokens) {
                this(mostTokens, 0);
            }

            /** Creates a size with the default maximum. */
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

    /** Creates a request for a pool of some tokens, with defaults for the rest. */
    public static RequestedPaging of(int tokens) {
        return of(new Size.Fixed(tokens));
    }

    /** Creates a request for a size that depends on the memory, with defaults for the rest. */
    public static RequestedPaging automatic() {
        return of(new Size.Automatic());
    }

    /** Creates a request for a pool of some size, with defaults for the rest. */
    public static RequestedPaging of(Size size) {
        return new RequestedPaging(size, Optional.empty(), PagingOptions.DEFAULT_TAU);
    }

    /** Returns the same request with a known size. */
    public RequestedPaging sized(int tokens) {
        return new RequestedPaging(new Size.Fixed(tokens), policy, tau);
    }

    /**
     * Returns the same request beside another consumer of some bytes, if the size depends on the
     * memory.
     */
    public RequestedPaging beside(long bytes) {
        return size instanceof Size.Automatic(int most, long before)
                ? new RequestedPaging(new Size.Automatic(most, before + bytes), policy, tau)
                : this;
    }

    /** Whether the size depends on the memory. */
    public boolean isAutomatic() {
        return size instanceof Size.Automatic;
    }

    /** Policy that decides which pages stay. */
    public PagePolicy chosenPolicy() {
        return policy.orElse(USUAL);
    }

    /** Whether pages are chosen by scores, so that a page that has left a pool can return. */
    public boolean scores() {
        return chosenPolicy() != PagePolicy.LRU;
    }

    /**
     * Creates the options of an engine.
     *
     * @param poolTokens slots of a pool, computed by {@link ResidentPoolSizing}
     */
    public PagingOptions options(int poolTokens) {
        return new PagingOptions(poolTokens, chosenPolicy(), tau);
    }
}
