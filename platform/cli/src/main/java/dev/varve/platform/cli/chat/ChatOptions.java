package dev.varve.platform.cli.chat;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * Options of a chat.
 *
 * @param system first system prompt; empty for none
 * @param style whether the terminal may show styles
 * @param history file that keeps the inputs; empty for none
 * @param flagNames replaces the identifiers of settings in messages by flags
 */
public record ChatOptions(
        String system, Style style, Optional<Path> history, UnaryOperator<String> flagNames) {
    /** Whether the terminal may show styles. */
    public enum Style {
        /** If the terminal has them. */
        ALLOWED,
        /** Never. */
        NONE
    }

    /** Refuses missing values. */
    public ChatOptions {
        Objects.requireNonNull(system);
        Objects.requireNonNull(style);
        Objects.requireNonNull(history);
        Objects.requireNonNull(flagNames);
    }
}
