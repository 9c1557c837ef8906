package dev.varve.platform.intake;

/**
 * Monitors whether the bytes of one body arrive fast enough: in total, and recently, so that a fast
 * beginning does not excuse a later pause. Not thread-safe.
 */
final class BodyRateMonitor {
    private final ClientTimeouts timeouts;

    /** Start time, moved forward by the time in which the client could not send. */
    private long begin;

    /** When the last of {@link #markedBytes} arrived, or until when no bytes are required. */
    private long mark;

    /** A multiple of the bytes that a window requires. */
    private long markedBytes;

    BodyRateMonitor(ClientTimeouts timeouts, long now) {
        this.timeouts = timeouts;
        begin = now;
        mark = now + timeouts.bodyStart().toNanos();
    }

    /** Records that {@code bytes} of the body have arrived. */
    void advance(long bytes, long now) {
        if (bytes - markedBytes >= timeouts.windowBytes()) {
            markedBytes = bytes - bytes % timeouts.windowBytes();
            mark = now;
        }
    }

    /** Excludes a time in which the client could not send. */
    void skip(long nanos) {
        begin += nanos;
        mark += nanos;
    }

    /** Whether a body is too slow of which {@code bytes} have arrived. */
    boolean isTooSlow(long bytes, long now) {
        return timeouts.isTooSlow(bytes, now - begin)
                || now - mark >= timeouts.bodyStart().toNanos();
    }
}
