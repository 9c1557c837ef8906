package dev.varve.platform.http;

import dev.varve.platform.http.json.ApiException;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Counts running requests, and refuses new ones while the server drains. Thread-safe. */
final class RequestDrain {
    private int count;
    private boolean draining;

    /**
     * Counts a request that begins.
     *
     * @throws ApiException a 503 if the server drains
     */
    synchronized void begin() {
        requireOpen();
        count++;
    }

    /** Counts a request that ended. */
    synchronized void end() {
        count--;
        notifyAll();
    }

    /** Throws a 503 if the server drains. */
    synchronized void requireOpen() {
        if (draining) {
            throw ApiException.draining();
        }
    }

    /** Returns whether the server accepts requests. */
    synchronized boolean isOpen() {
        return !draining;
    }

    /**
     * Refuses further requests and waits for the running ones.
     *
     * @return whether all ended in time
     */
    synchronized boolean drain(Duration limit) throws InterruptedException {
        draining = true;
        long end = System.nanoTime() + limit.toNanos();
        for (long left = limit.toNanos(); count > 0 && left > 0; left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return count == 0;
    }
}
