package dev.varve.platform.tokenizer;

import java.util.Objects;

/**
 * A piece of a prompt with its origin.
 *
 * @param trusted whether the chat template wrote the text, so that special tokens spelled in it are
 *     recognised; text of users, tools and documents is not trusted
 */
public record TextSpan(String text, boolean trusted) {
    /** Refuses null. */
    public TextSpan {
        Objects.requireNonNull(text, "text");
    }
}
