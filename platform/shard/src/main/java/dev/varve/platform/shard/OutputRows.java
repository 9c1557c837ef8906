package dev.varve.platform.shard;

/** What is wanted of the tokens of a slice. */
public enum OutputRows {
    /** None: a prefill chunk that is not the prompt's last. */
    NONE,
    /** The most likely successor of the last token; nothing but its id leaves the device. */
    BEST,
    /** The logits of the last token. */
    LAST,
    /** The logits of every token. */
    ALL,
    /** The most likely successor of every token; nothing but their ids leaves the device. */
    BEST_EACH;

    /** Whether ids are wanted, and no logits. */
    public boolean isBest() {
        return this == BEST || this == BEST_EACH;
    }

    /** Number of rows for a slice of {@code tokens}. */
    public int count(int tokens) {
        return switch (this) {
            case NONE -> 0;
            case BEST, LAST -> 1;
            case ALL, BEST_EACH -> tokens;
        };
    }
}
