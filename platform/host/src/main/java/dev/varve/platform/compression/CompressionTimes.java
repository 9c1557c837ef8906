package dev.varve.platform.compression;

/**
 * What compression took, in milliseconds.
 *
 * @param tokenizeMillis to make tokens of the drafter of the text
 * @param scoreMillis to have the drafter read it, with the time in which others had it
 * @param selectMillis to choose what stays
 */
public record CompressionTimes(double tokenizeMillis, double scoreMillis, double selectMillis) {
    /** Nothing was done. */
    public static final CompressionTimes NONE = new CompressionTimes(0, 0, 0);

    /** Of both. */
    public CompressionTimes plus(CompressionTimes other) {
        return new CompressionTimes(
                tokenizeMillis + other.tokenizeMillis,
                scoreMillis + other.scoreMillis,
                selectMillis + other.selectMillis);
    }

    /** All together. */
    public double millis() {
        return tokenizeMillis + scoreMillis + selectMillis;
    }
}
