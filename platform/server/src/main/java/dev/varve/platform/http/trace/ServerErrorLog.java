package dev.varve.platform.http.trace;

import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * Logs failures of the server itself, which clients receive as a 500: one line each with the id of
 * the request, since a client can repeat its request without limit. The stack trace, which may
 * quote the request, is logged at debug, at most once a minute. Thread-safe.
 */
public final class ServerErrorLog {
    private static final long MINUTE_NANOS = 60_000_000_000L;

    private final System.Logger log;
    private final LongSupplier nanos;
    private final AtomicReference<Optional<Long>> lastTrace =
            new AtomicReference<>(Optional.empty());

    /** Makes a log that writes to the server's log. */
    public ServerErrorLog() {
        this(System.getLogger("dev.varve.http"), System::nanoTime);
    }

    ServerErrorLog(System.Logger log, LongSupplier nanos) {
        this.log = log;
        this.nanos = nanos;
    }

    /** Logs that a request failed; {@code requestId} is the id that its client received. */
    public void log(String requestId, Throwable failure) {
        log.log(
                System.Logger.Level.ERROR,
                "request {0} failed: {1}{2}",
                requestId,
                failure.getClass().getName(),
                place(failure));
        if (log.isLoggable(System.Logger.Level.DEBUG) && mayTrace()) {
            log.log(System.Logger.Level.DEBUG, "stack trace of request " + requestId, failure);
        }
    }

    /** Returns the innermost stack frame of Varve's own code. */
    private static String place(Throwable failure) {
        StackTraceElement[] frames = failure.getStackTrace();
        return Arrays.stream(frames)
                .filter(frame -> frame.getClassName().startsWith("dev.varve."))
                .findFirst()
                .or(() -> Arrays.stream(frames).findFirst())
                .map(frame -> " at " + frame)
                .orElse("");
    }

    private boolean mayTrace() {
        long now = nanos.getAsLong();
        Optional<Long> last = lastTrace.get();
        return last.filter(time -> now - time < MINUTE_NANOS).isEmpty()
                && lastTrace.compareAndSet(last, Optional.of(now));
    }
}
