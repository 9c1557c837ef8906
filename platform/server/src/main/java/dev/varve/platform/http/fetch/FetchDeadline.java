package dev.varve.platform.http.fetch;

import dev.varve.platform.vision.InvalidImageException;

import java.time.Duration;

/**
 * The time at which downloads end: that of one image, or that of all images of a request.
 * Immutable.
 */
public final class FetchDeadline {
    private final String subject;
    private final Duration limit;
    private final long end;

    private FetchDeadline(String subject, Duration limit) {
        this.subject = subject;
        this.limit = limit;
        end = System.nanoTime() + limit.toNanos();
    }

    /**
     * Starts the time of something.
     *
     * @param subject of the message, such as {@code the image}
     */
    static FetchDeadline after(Duration limit, String subject) {
        return new FetchDeadline(subject, limit);
    }

    /**
     * Checks that time is left.
     *
     * @throws InvalidImageException that names the limit
     */
    void requireTime() {
        if (System.nanoTime() - end > 0) {
            throw new InvalidImageException(
                    "fetching " + subject + " took longer than " + limit.toSeconds() + " s");
        }
    }
}
