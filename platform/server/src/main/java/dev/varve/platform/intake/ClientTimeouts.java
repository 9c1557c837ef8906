package dev.varve.platform.intake;

import java.time.Duration;

/**
 * Limits on slow clients.
 *
 * @param header from the first byte of a request, or from connecting, to the end of its headers
 * @param bodyStart how long a body may take before its rate counts; later, each period of this
 *     length must bring the bytes for the rate
 * @param bodyBytesPerSecond slowest rate of a body after {@code bodyStart}
 * @param body longest time for a whole body
 * @param stalledWrite how long a write of the server may make no progress
 */
public record ClientTimeouts(
        Duration header,
        Duration bodyStart,
        int bodyBytesPerSecond,
        Duration body,
        Duration stalledWrite) {
    /**
     * Defaults: allow clients with slow connections; end a client soon that stops in the middle.
     */
    public static final ClientTimeouts DEFAULT =
            new ClientTimeouts(
                    Duration.ofSeconds(20),
                    Duration.ofSeconds(10),
                    4 << 10,
                    Duration.ofMinutes(5),
                    Duration.ofSeconds(30));

    /** Rejects a rate or a start of a body that is not positive. */
    public ClientTimeouts {
        if (bodyBytesPerSecond < 1) {
            throw new IllegalArgumentException(
                    "bytes per second must be positive, got " + bodyBytesPerSecond);
        }
        if (!bodyStart.isPositive()) {
            throw new IllegalArgumentException(
                    "the start of a body must be positive, got " + bodyStart);
        }
    }

    /** Returns the bytes that a period of {@link #bodyStart} must bring. */
    long windowBytes() {
        return Math.max(1, (long) (bodyStart.toNanos() / 1e9 * bodyBytesPerSecond));
    }

    /** Whether a body is too slow of which {@code bytes} arrived within {@code nanos}. */
    boolean isTooSlow(long bytes, long nanos) {
        long counted = nanos - bodyStart.toNanos();
        return nanos >= body.toNanos()
                || counted >= 0 && bytes < counted / 1e9 * bodyBytesPerSecond
                || counted >= 0 && bytes == 0;
    }
}
