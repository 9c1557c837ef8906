package dev.varve.platform.tokenizer;

import java.util.Objects;

/**
 * A piece of a prompt with its origin.
 *
 * @param trusted whether the text was written by the chat template, so that special tokens spelled
 *     in it are meant as such; text of users, tools and documents is not trusted
 */
public record TextSpan(String text, boolean trusted) {
    /** Checks that there is a text. */
    public TextSpan {
        Objects.requireNonNull(text, "text");
    }
}
