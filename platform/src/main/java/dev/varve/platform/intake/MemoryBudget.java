package dev.varve.platform.intake;

/** Bytes that may be in use for one purpose. Never waits. Thread-safe. */
final class MemoryBudget {
    private final long capacity;
    private long used;

    MemoryBudget(long capacity) {
        this.capacity = capacity;
    }

    /**
     * Takes more bytes for somebody who holds {@code held} already, if there are enough. Who is
     * alone gets all it wants, so that nothing is too large forever.
     */
    synchronized boolean tryTake(long bytes, long held) {
        if (used > held && bytes > capacity - used) {
            return false;
        }
        used += bytes;
        return true;
    }

    synchronized void giveBack(long bytes) {
        if (bytes < 0 || bytes > used) {
            throw new IllegalStateException(bytes + " bytes given back of " + used);
        }
        used -= bytes;
    }
}
