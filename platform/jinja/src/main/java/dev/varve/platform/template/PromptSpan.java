package dev.varve.platform.template;

import java.util.Objects;

/**
 * A piece of a rendered prompt.
 *
 * @param text the characters, never empty in a {@link RenderedPrompt} that a template created
 * @param origin author of the text
 */
public record PromptSpan(String text, Origin origin) {
    /** Author of a text. */
    public enum Origin {
        /** The template, or a variable that the caller declared as trusted. */
        TEMPLATE,
        /** Any other author. */
        INPUT
    }

    /** Refuses null. */
    public PromptSpan {
        Objects.requireNonNull(text);
        Objects.requireNonNull(origin);
    }

    /** Creates a span of the template's text. */
    public static PromptSpan ofTemplate(String text) {
        return new PromptSpan(text, Origin.TEMPLATE);
    }

    /** Creates a span of untrusted text. */
    public static PromptSpan ofInput(String text) {
        return new PromptSpan(text, Origin.INPUT);
    }

    /** Returns whether the text may be read as special tokens. */
    public boolean trusted() {
        return origin == Origin.TEMPLATE;
    }
}
