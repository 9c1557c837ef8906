package dev.varve.platform.http.resume;

import java.time.Duration;

/**
 * How much is kept of streams.
 *
 * @param streams most streams at a time
 * @param streamBytes most bytes of events of one; the oldest are dropped, never the newest
 * @param totalBytes most bytes of events of all, likewise
 * @param unread how long a stream is kept while nobody reads it, whether or not it has ended
 */
public record ResumableStreamLimits(
        int streams, long streamBytes, long totalBytes, Duration unread) {
    /** For a server whose operator says nothing. */
    public static final ResumableStreamLimits DEFAULT =
            new ResumableStreamLimits(256, 4L << 20, 64L << 20, Duration.ofSeconds(60));

    /** Refuses limits that keep nothing. */
    public ResumableStreamLimits {
        if (streams < 1 || streamBytes < 1 || totalBytes < 1 || !unread.isPositive()) {
            throw new IllegalArgumentException("limits must be positive");
        }
    }
}
