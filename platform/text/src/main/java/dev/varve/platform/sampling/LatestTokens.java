package dev.varve.platform.sampling;

import java.util.Arrays;

/**
 * The latest tokens of a sequence, prompt and generated text. Runs per token; the array grows to
 * the number of tokens that are kept.
 */
final class LatestTokens {
    private static final int FIRST_LENGTH = 256;

    private final int most;
    private int[] tokens = new int[FIRST_LENGTH];
    private int length;
    private int next;

    /**
     * @param most number of latest tokens to keep; -1: all
     */
    LatestTokens(int most) {
        this.most = most < 0 ? Integer.MAX_VALUE : most;
    }

    /** Adds a token at the end. */
    void add(int token) {
        if (most == 0) {
            return;
        }
        if (length == tokens.length && length < most) {
            tokens = Arrays.copyOf(tokens, (int) Math.min(most, 2L * length));
            next = length;
        }
        tokens[next] = token;
        int capacity = Math.min(tokens.length, most);
        length = Math.min(length + 1, capacity);
        next = next + 1 == capacity && capacity == most ? 0 : next + 1;
    }

    /** Adds the last tokens of a text, as many as are kept. */
    void addAll(int[] text) {
        for (int i = Math.max(0, text.length - most); i < text.length; i++) {
            add(text[i]);
        }
    }

    int length() {
        return length;
    }

    /** Returns a token by its distance from the end; 0 is the latest one. */
    int fromEnd(int distance) {
        int index = next - 1 - distance;
        return tokens[index < 0 ? index + length : index];
    }
}
