package dev.varve.api.model;

import java.util.Objects;
import java.util.Optional;

/**
 * Marks of reasoning and tool calls in a model's output.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param reasoning marks around reasoning, if there are any
 * @param tools markup of a tool call, if there is any
 * @param isByTemplate whether the platform derives the dialect from the file's chat template; the
 *     other parts are empty then
 */
public record ChatDialect(
        Optional<ReasoningMarks> reasoning, Optional<ToolSyntax> tools, boolean isByTemplate) {
    /** Checks the parts. */
    public ChatDialect {
        Objects.requireNonNull(reasoning);
        Objects.requireNonNull(tools);
        if (isByTemplate && (reasoning.isPresent() || tools.isPresent())) {
            throw new IllegalArgumentException(
                    "a dialect by template has no marks of its own: " + reasoning + ", " + tools);
        }
    }

    /** Creates a dialect with marks that the family knows. */
    public ChatDialect(Optional<ReasoningMarks> reasoning, Optional<ToolSyntax> tools) {
        this(reasoning, tools, false);
    }

    /** A dialect without reasoning and tools. */
    public static ChatDialect plain() {
        return new ChatDialect(Optional.empty(), Optional.empty());
    }

    /**
     * The dialect in which the file's chat template renders reasoning and calls. For architectures
     * whose models are trained with different dialects.
     */
    public static ChatDialect byTemplate() {
        return new ChatDialect(Optional.empty(), Optional.empty(), true);
    }
}
