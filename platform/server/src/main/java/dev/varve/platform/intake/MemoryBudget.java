package dev.varve.platform.intake;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Bytes that may be in use for one purpose. Never waits: who gets none is asked to come again, and
 * is served before others that come later. Thread-safe.
 *
 * <p>One claim at a time may exceed the capacity. So nothing is too large forever, and claims that
 * grow beside each other cannot all wait for what the others hold.
 */
final class MemoryBudget {
    private final long capacity;
    private final Set<Claim> waiting = new LinkedHashSet<>();
    private Optional<Claim> exceeding = Optional.empty();
    private long used;

    MemoryBudget(long capacity) {
        this.capacity = capacity;
    }

    /** A claim that holds nothing yet. */
    Claim open() {
        return new Claim();
    }

    /** What one holder has taken. */
    final class Claim {
        private long held;

        /** Takes more bytes, if there are enough; else the claim stands in line for them. */
        boolean tryTake(long bytes) {
            synchronized (MemoryBudget.this) {
                boolean inTurn = held > 0 || waiting.isEmpty() || waiting.iterator().next() == this;
                boolean fits = bytes <= capacity - used;
                boolean mayExceed = exceeding.isEmpty() || exceeding.get() == this;
                if (!inTurn || !(fits || mayExceed)) {
                    waiting.add(this);
                    return false;
                }
                if (!fits) {
                    exceeding = Optional.of(this);
                }
                waiting.remove(this);
                used += bytes;
                held += bytes;
                return true;
            }
        }

        /** Gives everything back and leaves the line. */
        void release() {
            synchronized (MemoryBudget.this) {
                waiting.remove(this);
                exceeding = exceeding.filter(claim -> claim != this);
                used -= held;
                held = 0;
            }
        }
    }
}
