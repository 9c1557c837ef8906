package dev.varve.platform.http.answer;

import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;

/**
 * A short excerpt of a prompt by which its sender recognises it: the beginning of its last message.
 */
final class PromptExcerpt {
    private static final int MOST_TOKENS = 64;
    private static final int MOST_CHARACTERS = 160;

    /** A boundary at most this far from the end begins the assistant's message. */
    private static final int HEAD_OF_ANSWER = 8;

    private PromptExcerpt() {}

    static String of(GenerationRequest.Prompt prompt, Tokenizer tokenizer) {
        int begin = 0;
        int answer = prompt.length();
        for (int boundary : prompt.boundaries()) {
            if (boundary < prompt.length() - HEAD_OF_ANSWER) {
                begin = boundary;
            } else {
                answer = Math.min(answer, boundary);
            }
        }
        int end = Math.min(begin + MOST_TOKENS, answer);
        String text =
                tokenizer
                        .decode(text(Arrays.copyOfRange(prompt.tokens(), begin, end)), false)
                        .replaceAll("\\s+", " ")
                        .strip();
        int length = Math.min(MOST_CHARACTERS, text.length());
        if (length < text.length() && Character.isHighSurrogate(text.charAt(length - 1))) {
            length--;
        }
        return length < text.length() ? text.substring(0, length) + "…" : text;
    }

    /** Returns the tokens that do not belong to images. */
    private static int[] text(int[] tokens) {
        return Arrays.stream(tokens).filter(token -> token >= 0).toArray();
    }
}
