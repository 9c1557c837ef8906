package dev.varve.platform.compression;

/**
 * Durations of the compression phases, in milliseconds.
 *
 * @param tokenizeMillis tokenizing the text for the drafter
 * @param scoreMillis scoring by the drafter, including the wait for it
 * @param selectMillis selecting the kept tokens
 */
public record CompressionTimes(double tokenizeMillis, double scoreMillis, double selectMillis) {
    /** No time. */
    public static final CompressionTimes NONE = new CompressionTimes(0, 0, 0);

    /** Adds two durations. */
    public CompressionTimes plus(CompressionTimes other) {
        return new CompressionTimes(
                tokenizeMillis + other.tokenizeMillis,
                scoreMillis + other.scoreMillis,
                selectMillis + other.selectMillis);
    }

    /** Returns the sum of all phases. */
    public double millis() {
        return tokenizeMillis + scoreMillis + selectMillis;
    }
}
