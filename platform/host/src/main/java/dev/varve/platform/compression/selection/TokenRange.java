package dev.varve.platform.compression.selection;

/** Half-open range of a text's tokens, {@code [begin, end)}, counted from 0. */
public record TokenRange(int begin, int end) {
    /** Rejects an empty range. */
    public TokenRange {
        if (begin < 0 || end <= begin) {
            throw new IllegalArgumentException(
                    "token range must be non-empty, got [" + begin + ", " + end + ")");
        }
    }

    /** Returns the number of tokens. */
    public int size() {
        return end - begin;
    }

    @Override
    public String toString() {
        return "[" + begin + ", " + end + ")";
    }
}
