package dev.varve.platform.hub;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Repeats attempts that fail by the network or a busy server, with growing pauses. Attempts that
 * make progress do not count.
 */
final class Retries {
    /** One attempt. */
    interface Attempt<T> {
        T run() throws IOException, InterruptedException;
    }

    /** Waits; tests do not. */
    interface Pause {
        void sleep(Duration time) throws InterruptedException;
    }

    /** Failed attempts in a row without progress between them. */
    private static final int MOST = 6;

    /** Longest time that a server may ask for. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Pause pause;
    private final InstantSource clock;
    private final DownloadListener listener;

    Retries(Pause pause, InstantSource clock, DownloadListener listener) {
        this.pause = pause;
        this.clock = clock;
        this.listener = listener;
    }

    /**
     * Runs attempts until one succeeds.
     *
     * @param reachedBytes furthest position in the file so far
     * @param after what the message says after the last attempt, such as what happens next
     * @throws VarveException of kind UNAVAILABLE after too many failures, or if the server asks for
     *     a long pause
     */
    <T> T run(Attempt<T> attempt, LongSupplier reachedBytes, String after)
            throws InterruptedException {
        int failures = 0;
        long before = reachedBytes.getAsLong();
        while (true) {
            try {
                return attempt.run();
            } catch (IOException e) {
                failures = reachedBytes.getAsLong() > before ? 1 : failures + 1;
                before = reachedBytes.getAsLong();
                Duration wait = wait(e, failures);
                if (failures >= MOST || wait.compareTo(LONGEST) > 0) {
                    throw new VarveException(
                            VarveException.Kind.UNAVAILABLE, describe(e) + end(wait, after), e);
                }
                listener.note(
                        String.format(
                                Locale.ROOT,
                                "%s; Varve tries again in %d s (attempt %d of %d)",
                                describe(e),
                                wait.toSeconds(),
                                failures + 1,
                                MOST));
                pause.sleep(wait);
            }
        }
    }

    private Duration wait(IOException failure, int failures) {
        Duration usual = Duration.ofSeconds(1L << (failures - 1));
        return failure instanceof TransientFailure busy
                ? busy.delay(clock.instant()).orElse(usual)
                : usual;
    }

    private static String end(Duration wait, String after) {
        return wait.compareTo(LONGEST) > 0
                ? "; the server asks for a pause of " + wait.toMinutes() + " min"
                : "; Varve gave up after " + MOST + " attempts" + after;
    }

    private static String describe(IOException failure) {
        String message = failure.getMessage();
        return message == null ? "the connection failed" : message;
    }
}
