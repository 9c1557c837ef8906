package dev.varve.platform.intake;

/**
 * Whether the bytes of one body come fast enough: on the whole, and lately, so that a fast
 * beginning earns no rest. Not thread-safe.
 */
final class BodyRateMonitor {
    private final ClientTimeouts pace;

    /** Moved on by the time in which the client could not send. */
    private long begin;

    /** When the last of {@link #markedBytes} came, or until when none needs to come. */
    private long mark;

    /** A multiple of what a window must bring. */
    private long markedBytes;

    BodyRateMonitor(ClientTimeouts pace, long now) {
        this.pace = pace;
        begin = now;
        mark = now + pace.bodyStart().toNanos();
    }

    /** {@code bytes} of the body are here. */
    void advance(long bytes, long now) {
        if (bytes - markedBytes >= pace.windowBytes()) {
            markedBytes = bytes - bytes % pace.windowBytes();
            mark = now;
        }
    }

    /** For so long the client could not send. */
    void skip(long nanos) {
        begin += nanos;
        mark += nanos;
    }

    /** Whether a body of which {@code bytes} are here is too slow. */
    boolean isTooSlow(long bytes, long now) {
        return pace.isTooSlow(bytes, now - begin) || now - mark >= pace.bodyStart().toNanos();
    }
}
