package dev.varve.platform.shard;

/** Output that is requested for the tokens of a chunk. */
public enum RequestedOutput {
    /** None: a prefill chunk that is not the prompt's last. */
    NONE,
    /** The id of the most likely next token after the last token; only the id leaves the device. */
    BEST,
    /** The logits of the last token. */
    LAST,
    /** The logits of every token. */
    ALL,
    /** The id of the most likely next token after every token; only the ids leave the device. */
    BEST_EACH,
    /**
     * The {@link TopTokens} of the last token, or its logits if the shard cannot determine them.
     */
    TOP,
    /** The {@link TopTokens} or the logits of every token. */
    TOP_EACH;

    /** Whether only ids are requested, no logits. */
    public boolean isBest() {
        return this == BEST || this == BEST_EACH;
    }

    /** Whether {@link TopTokens} suffice. */
    public boolean isTop() {
        return this == TOP || this == TOP_EACH;
    }

    /** The same output with logits instead of {@link TopTokens}. */
    public RequestedOutput withLogits() {
        return switch (this) {
            case TOP -> LAST;
            case TOP_EACH -> ALL;
            case NONE, BEST, LAST, ALL, BEST_EACH -> this;
        };
    }

    /** Number of rows for a chunk of {@code tokens}. */
    public int count(int tokens) {
        return switch (this) {
            case NONE -> 0;
            case BEST, LAST, TOP -> 1;
            case ALL, BEST_EACH, TOP_EACH -> tokens;
        };
    }
}
