package dev.varve.platform.shard.streaming;

/** Simulated time in nanoseconds, which only the test advances. Nothing waits for it. */
final class VirtualClock {
    private long now;

    long now() {
        return now;
    }

    /** Lets time pass up to an instant; does nothing if it has passed already. */
    void advanceTo(long instant) {
        now = Math.max(now, instant);
    }

    void advance(long nanos) {
        now += nanos;
    }
}
