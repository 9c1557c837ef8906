package dev.varve.platform.http.metrics;

/**
 * Upper bounds of time histograms, in seconds. The bounds of each kind grow by about the same
 * ratio, from the time of a small model on a fast device to the timeouts of clients.
 */
final class HistogramBuckets {
    private static final double[] TOKENS = {
        0.001, 0.0015, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1,
        0.15, 0.2, 0.3, 0.5, 0.75, 1, 2.5, 5, 10
    };
    private static final double[] WAITS = {
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160,
        320, 640
    };
    private static final double[] GENERATION_TIMES = {
        0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560
    };

    private HistogramBuckets() {}

    /** Returns the bounds for the time between two tokens of a stream. */
    static double[] tokens() {
        return TOKENS.clone();
    }

    /** Returns the bounds for waits: queue, prefill, first token. */
    static double[] waits() {
        return WAITS.clone();
    }

    /** Returns the bounds for whole responses. */
    static double[] generationTimes() {
        return GENERATION_TIMES.clone();
    }
}
