package dev.varve.platform.http.metrics;

/**
 * Upper bounds of histograms of times, in seconds. Each kind has steps of about the same ratio
 * where its times lie, from what a small model on a fast device takes to what clients give up at.
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
    private static final double[] ANSWERS = {
        0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560
    };

    private HistogramBuckets() {}

    /** From one token of a stream to the next. */
    static double[] tokens() {
        return TOKENS.clone();
    }

    /** Until something begins: the queue, a prompt, the first token. */
    static double[] waits() {
        return WAITS.clone();
    }

    /** Of whole answers. */
    static double[] answers() {
        return ANSWERS.clone();
    }
}
