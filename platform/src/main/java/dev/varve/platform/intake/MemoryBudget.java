package dev.varve.platform.intake;

/** Bytes that may be in use for one purpose. Never waits. Thread-safe. */
final class MemoryBudget {
    private final long capacity;
    private long used;

    MemoryBudget(long capacity) {
        this.capacity = capacity;
    }

    /**
     * Takes bytes if there are enough. What exceeds the whole budget gets in when nothing else is
     * in use, so that nothing waits forever.
     */
    synchronized boolean tryTake(long bytes) {
        if (used > 0 && bytes > capacity - used) {
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

    synchronized long used() {
        return used;
    }
}
