package dev.varve.platform.template;

import java.util.Objects;

/**
 * A piece of a rendered prompt.
 *
 * @param text the characters, never empty in a {@link RenderedPrompt} that a template made
 * @param origin who wrote them
 */
public record PromptSpan(String text, Origin origin) {
    /** Who wrote a text. */
    public enum Origin {
        /** The template, or a variable that the caller vouched for. */
        TEMPLATE,
        /** Anybody. */
        INPUT
    }

    /** Refuses null. */
    public PromptSpan {
        Objects.requireNonNull(text);
        Objects.requireNonNull(origin);
    }

    /** A text of the template. */
    public static PromptSpan ofTemplate(String text) {
        return new PromptSpan(text, Origin.TEMPLATE);
    }

    /** A text of anybody. */
    public static PromptSpan ofInput(String text) {
        return new PromptSpan(text, Origin.INPUT);
    }

    /** Whether the text may be read as special tokens. */
    public boolean trusted() {
        return origin == Origin.TEMPLATE;
    }
}
