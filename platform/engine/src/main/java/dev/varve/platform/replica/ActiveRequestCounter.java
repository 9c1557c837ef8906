package dev.varve.platform.replica;

import java.time.Duration;

/** Counts the requests that have not ended. Thread-safe. */
final class ActiveRequestCounter {
    private long count;

    synchronized void more(int requests) {
        count += requests;
    }

    synchronized void less() {
        count--;
        if (count == 0) {
            notifyAll();
        }
    }

    /**
     * Waits until no request is active.
     *
     * @return whether this happened within the limit
     */
    synchronized boolean awaitNone(Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        try {
            while (count > 0) {
                long millis = (end - System.nanoTime()) / 1_000_000;
                if (millis <= 0) {
                    return false;
                }
                wait(millis);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
