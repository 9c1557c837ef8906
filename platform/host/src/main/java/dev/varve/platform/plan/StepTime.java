package dev.varve.platform.plan;

/**
 * Time of one step.
 *
 * @param decodeMillis time of one token of one sequence
 * @param prefillMillis time of a chunk of {@value #CHUNK} tokens
 */
public record StepTime(double decodeMillis, double prefillMillis) {
    /** Tokens of a prefill chunk. */
    public static final int CHUNK = 512;

    /** No time. */
    public static final StepTime ZERO = new StepTime(0, 0);

    /** Checks that the times are at least 0. */
    public StepTime {
        if (!(decodeMillis >= 0 && decodeMillis < Double.MAX_VALUE)
                || !(prefillMillis >= 0 && prefillMillis < Double.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "expected times of 0 or more, found " + decodeMillis + " and " + prefillMillis);
        }
    }
}
