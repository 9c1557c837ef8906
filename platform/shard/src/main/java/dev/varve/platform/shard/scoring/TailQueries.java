package dev.varve.platform.shard.scoring;

import java.util.Optional;

/**
 * The last tokens of a prompt, whose queries ask for all others. A prompt is computed in chunks,
 * and the tail may lie in two of them, so that its rows are gathered chunk by chunk.
 *
 * @param tokens of the prompt, at least {@value #LEAST_TOKENS}
 */
public record TailQueries(int tokens) {
    /** Queries that ask. */
    public static final int COUNT = 8;

    /** Shorter prompts are not scored: there would be nothing to ask for. */
    public static final int LEAST_TOKENS = COUNT + 1;

    /**
     * Rows of a chunk that belong to the tail.
     *
     * @param row first of them, counted from the chunk's begin
     * @param query which query the first row is, from 0
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

    /** Keys that a query sees: those up to its own position. */
    public int visible(int query) {
        return first() + query + 1;
    }

    /** The rows to gather from a chunk {@code [begin, end)}; none if the tail lies elsewhere. */
    public Optional<Part> part(int begin, int end) {
        int from = Math.max(begin, first());
        int to = Math.min(end, tokens);
        return from < to
                ? Optional.of(new Part(from - begin, from - first(), to - from))
                : Optional.empty();
    }
}
