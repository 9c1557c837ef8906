package dev.varve.api.model;

import java.util.Optional;

/**
 * How a family marks reasoning in its output.
 *
 * @param reasoning the marks around a thought, if the family has any
 */
public record ChatDialect(Optional<ReasoningMarks> reasoning) {

    /**
     * Texts of the special tokens around a thought.
     *
     * @param open such as {@code <think>}
     * @param close such as {@code </think>}
     */
    public record ReasoningMarks(String open, String close) {}

    /** A dialect without reasoning. */
    public static ChatDialect plain() {
        return new ChatDialect(Optional.empty());
    }
}
