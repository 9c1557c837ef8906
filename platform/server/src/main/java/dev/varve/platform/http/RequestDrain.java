package dev.varve.platform.http;

import dev.varve.platform.http.json.ApiException;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The requests that a server is busy with, and whether it takes others. Thread-safe. */
final class RequestDrain {
    private int count;
    private boolean draining;

    /**
     * Takes a request.
     *
     * @throws ApiException a 503 if the server takes no more
     */
    synchronized void begin() {
        requireOpen();
        count++;
    }

    /** One that was taken ended. */
    synchronized void end() {
        count--;
        notifyAll();
    }

    /** Throws 503 if no more are taken. */
    synchronized void requireOpen() {
        if (draining) {
            throw ApiException.draining();
        }
    }

    /** Whether requests are taken. */
    synchronized boolean isOpen() {
        return !draining;
    }

    /**
     * Takes no more, and waits for those that run.
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
