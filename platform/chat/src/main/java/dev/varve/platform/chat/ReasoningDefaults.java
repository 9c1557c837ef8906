package dev.varve.platform.chat;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reasoning options for requests that give none.
 *
 * @param thinking value of the template's variable {@code enable_thinking}; empty: the template
 *     decides
 * @param budget maximum number of reasoning tokens, at least 0; empty for no limit
 */
public record ReasoningDefaults(Optional<Boolean> thinking, OptionalInt budget) {
    /** Maximum number of tokens that are reserved for the content after the reasoning. */
    private static final int REPLY_TOKENS = 4096;

    /** Refuses a budget below 0. */
    public ReasoningDefaults {
        if (budget.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "reasoning budget: expected 0 or more, found " + budget.getAsInt());
        }
    }

    /**
     * Returns the maximum number of reasoning tokens that a budget may allow in a response of
     * {@code maxOutput} tokens. A quarter of the response, at most {@value #REPLY_TOKENS} tokens,
     * is reserved for content.
     */
    public static int maxTokens(int maxOutput) {
        return maxOutput - Math.min(REPLY_TOKENS, Math.ceilDiv(maxOutput, 4));
    }

    /**
     * Returns the maximum number of reasoning tokens in a response of {@code maxOutput} tokens,
     * empty for no limit. If reasoning is switched off it is 0, so that a model that reasons all
     * the same is stopped.
     */
    public OptionalInt budget(int maxOutput) {
        if (!thinking.orElse(true)) {
            return OptionalInt.of(0);
        }
        return budget.isPresent()
                ? OptionalInt.of(Math.min(budget.getAsInt(), maxTokens(maxOutput)))
                : OptionalInt.empty();
    }

    /** Returns defaults by which the template decides and reasoning has no limit. */
    public static ReasoningDefaults none() {
        return new ReasoningDefaults(Optional.empty(), OptionalInt.empty());
    }
}
