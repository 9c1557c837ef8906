package dev.varve.platform.compression.selection;

/** Half-open range of a text's chars, as Java counts them, {@code [begin, end)}. */
public record CharRange(int begin, int end) {
    /** Rejects an empty range. */
    public CharRange {
        if (begin < 0 || end <= begin) {
            throw new IllegalArgumentException(
                    "char range must be non-empty, got [" + begin + ", " + end + ")");
        }
    }

    @Override
    public String toString() {
        return "[" + begin + ", " + end + ")";
    }
}
