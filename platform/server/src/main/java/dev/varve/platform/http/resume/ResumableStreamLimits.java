package dev.varve.platform.http.resume;

import java.time.Duration;

/**
 * Limits of the store of resumable streams.
 *
 * @param streams maximum number of streams
 * @param streamBytes maximum bytes of the events of one stream; the oldest events are dropped,
 *     never the newest
 * @param totalBytes maximum bytes of the events of all streams, enforced in the same way
 * @param unread how long a stream without a reader is kept, whether or not it has ended
 */
public record ResumableStreamLimits(
        int streams, long streamBytes, long totalBytes, Duration unread) {
    /** The default limits. */
    public static final ResumableStreamLimits DEFAULT =
            new ResumableStreamLimits(256, 4L << 20, 64L << 20, Duration.ofSeconds(60));

    /** Checks that all limits are positive. */
    public ResumableStreamLimits {
        if (streams < 1 || streamBytes < 1 || totalBytes < 1 || !unread.isPositive()) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }
}
