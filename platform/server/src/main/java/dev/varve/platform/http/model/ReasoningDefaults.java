package dev.varve.platform.http.model;

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
    /** Refuses a budget below 0. */
    public ReasoningDefaults {
        if (budget.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "reasoning budget: expected 0 or more, found " + budget.getAsInt());
        }
    }

    /** Returns defaults by which the template decides and reasoning has no limit. */
    public static ReasoningDefaults none() {
        return new ReasoningDefaults(Optional.empty(), OptionalInt.empty());
    }
}
