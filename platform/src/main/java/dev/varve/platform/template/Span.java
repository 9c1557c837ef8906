package dev.varve.platform.template;

import java.util.Objects;

/**
 * A piece of a rendered prompt.
 *
 * @param text the characters, never empty in a {@link RenderedPrompt} that a template made
 * @param trusted whether they were written by the template (or a variable the caller vouched for):
 *     only then may they be read as special tokens
 */
public record Span(String text, boolean trusted) {
    public Span {
        Objects.requireNonNull(text);
    }
}
