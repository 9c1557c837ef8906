package dev.varve.bench.reliability;

import java.util.random.RandomGenerator;

/** Behaviour of a client: it reads to the end, disconnects or cancels. */
enum Conduct {
    /** Reads a stream to its end. */
    STREAM,
    /** Waits for an answer that is not streamed. */
    WHOLE,
    /** Reads a stream of a request that neither reads nor leaves cached prefixes. */
    UNCACHED,
    /** Closes the connection after some events of the stream, or while its prompt is computed. */
    LEAVE,
    /** Cancels with {@code DELETE /requests/ID} after some events of the stream. */
    CANCEL;

    private static final int OF_HUNDRED = 100;

    /** Draws one: of 100 requests 50 stream, 17 are whole, 8 uncached, 15 leave, 10 cancel. */
    static Conduct draw(RandomGenerator random) {
        int drawn = random.nextInt(OF_HUNDRED);
        if (drawn < 50) {
            return STREAM;
        }
        if (drawn < 67) {
            return WHOLE;
        }
        if (drawn < 75) {
            return UNCACHED;
        }
        return drawn < 90 ? LEAVE : CANCEL;
    }
}
