package dev.varve.platform.plan;

import dev.varve.platform.setting.ByteCount;

import java.util.Locale;

/**
 * Forecast of the reads of experts from the file, for a router that chooses all experts equally
 * often. Others have more hits.
 *
 * @param expertBytes bytes of all experts
 * @param cacheBytes memory that holds those that were used last
 * @param experts experts of a layer
 * @param used experts of a layer that a token uses
 * @param bytesPerSecond measured speed of reads
 */
public record ExpertReadForecast(
        long expertBytes, long cacheBytes, int experts, int used, double bytesPerSecond) {
    /** Checks that the numbers are positive and a token uses at most all experts. */
    public ExpertReadForecast {
        if (expertBytes < 1
                || cacheBytes < 0
                || used < 1
                || experts < used
                || !(bytesPerSecond > 0)) {
            throw new IllegalArgumentException(
                    expertBytes
                            + " bytes, "
                            + cacheBytes
                            + " in memory, "
                            + used
                            + " of "
                            + experts
                            + " experts, "
                            + bytesPerSecond
                            + " bytes per second");
        }
    }

    /** Returns the share of experts that are not in memory. */
    private double missShare() {
        return Math.max(0, 1 - (double) cacheBytes / expertBytes);
    }

    /** Returns the bytes that a token reads. */
    public double bytesPerToken() {
        return missShare() * expertBytes * used / experts;
    }

    /**
     * Returns the bytes that a chunk of a prompt reads: its layers follow one another, so unless
     * all experts fit, those of a layer are evicted before the next chunk.
     */
    public double bytesPerChunk() {
        double share = 1 - Math.pow(1 - (double) used / experts, StepTime.CHUNK);
        return missShare() == 0 ? 0 : share * expertBytes;
    }

    /** Returns the time of the reads of one step. */
    public StepTime time() {
        return new StepTime(
                1000 * bytesPerToken() / bytesPerSecond, 1000 * bytesPerChunk() / bytesPerSecond);
    }

    /** Returns one line for messages. */
    public String describe() {
        return String.format(
                Locale.ROOT,
                "reads of experts: %s per token, %s per chunk of %d in prefill, at %s per second;"
                        + " fewer if some experts are chosen more often",
                ByteCount.format((long) bytesPerToken()),
                ByteCount.format((long) bytesPerChunk()),
                StepTime.CHUNK,
                ByteCount.format((long) bytesPerSecond));
    }
}
