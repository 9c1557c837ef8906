package dev.varve.platform.intake;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Bytes that may be in use for one purpose. Never blocks: a caller whose claim fails asks again,
 * and is served before later callers. Thread-safe.
 *
 * <p>One claim at a time may exceed the capacity. So no claim is too large forever, and growing
 * claims cannot deadlock by waiting for each other's bytes.
 */
final class MemoryBudget {
    private final long capacity;
    private final Set<Claim> waiting = new LinkedHashSet<>();
    private Optional<Claim> exceeding = Optional.empty();
    private long used;

    MemoryBudget(long capacity) {
        this.capacity = capacity;
    }

    /** Opens a claim that holds no bytes. */
    Claim open() {
        return new Claim();
    }

    /** Bytes of one holder. */
    final class Claim {
        private long claimedBytes;

        /** Takes more bytes if they are free; otherwise queues the claim for them. */
        boolean tryTake(long bytes) {
            synchronized (MemoryBudget.this) {
                boolean inTurn =
                        claimedBytes > 0 || waiting.isEmpty() || waiting.iterator().next() == this;
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
                claimedBytes += bytes;
                return true;
            }
        }

        /** Frees all bytes and leaves the queue. */
        void release() {
            synchronized (MemoryBudget.this) {
                waiting.remove(this);
                exceeding = exceeding.filter(claim -> claim != this);
                used -= claimedBytes;
                claimedBytes = 0;
            }
        }
    }
}
