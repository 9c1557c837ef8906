package dev.varve.platform.shard.scoring;

import java.util.Optional;

/**
 * The last tokens of a prompt, whose queries score all other tokens. A prompt is computed in
 * chunks, and two of them may share the tail, so that its rows are gathered chunk by chunk.
 *
 * @param tokens of the prompt, at least {@value #LEAST_TOKENS}
 */
public record TailQueries(int tokens) {
    /** Number of tail queries. */
    public static final int COUNT = 8;

    /** Shorter prompts are not scored: they have no tokens before the tail. */
    public static final int LEAST_TOKENS = COUNT + 1;

    /**
     * Rows of a chunk that belong to the tail.
     *
     * @param row index of the first row, counted from the beginning of the chunk
     * @param query index of the query of the first row, from 0
     * @param count consecutive rows, positive
     */
    public record Part(int row, int query, int count) {}

    /** Checks the length. */
    public TailQueries {
        if (tokens < LEAST_TOKENS) {
            throw new IllegalArgumentException(
                    "a scored prompt has at least " + LEAST_TOKENS + " tokens, got " + tokens);
        }
    }

    /** Position of the first query. */
    public int first() {
        return tokens - COUNT;
    }

    /** Number of keys that a query attends to: those up to its own position. */
    public int visible(int query) {
        return first() + query + 1;
    }

    /** The rows to gather from a chunk {@code [begin, end)}; empty if it contains none. */
    public Optional<Part> part(int begin, int end) {
        int from = Math.max(begin, first());
        int to = Math.min(end, tokens);
        return from < to
                ? Optional.of(new Part(from - begin, from - first(), to - from))
                : Optional.empty();
    }
}
