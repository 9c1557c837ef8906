package dev.varve.embedded;

import dev.varve.platform.chat.ReasoningDefaults;

import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Whether and how long the model reasons before it responds.
 *
 * @param enabled whether it reasons; empty: as the template of the model specifies
 * @param maxTokens most tokens of reasoning; empty for no limit
 * @since 0.1.0
 */
public record Reasoning(Optional<Boolean> enabled, OptionalInt maxTokens) {
    /** As the template of the model specifies, without a limit. */
    public static final Reasoning DEFAULT = new Reasoning(Optional.empty(), OptionalInt.empty());

    /** No reasoning. */
    public static final Reasoning OFF = new Reasoning(Optional.of(false), OptionalInt.empty());

    /**
     * Checks the limit.
     *
     * @throws IllegalArgumentException if it is below 0
     */
    public Reasoning {
        Objects.requireNonNull(enabled);
        if (maxTokens.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "reasoning tokens: expected 0 or more, found " + maxTokens.getAsInt());
        }
    }

    ReasoningDefaults defaults() {
        return new ReasoningDefaults(enabled, maxTokens);
    }
}
