package dev.varve.platform.shard;

/** Which tokens of a slice need logits. */
public enum OutputRows {
    /** None: a prefill chunk that is not the prompt's last. */
    NONE,
    /** The last token only. */
    LAST,
    /** Every token. */
    ALL;

    /** Number of rows for a slice of {@code tokens}. */
    int count(int tokens) {
        return switch (this) {
            case NONE -> 0;
            case LAST -> 1;
            case ALL -> tokens;
        };
    }
}
