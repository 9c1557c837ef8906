package dev.varve.platform.http.answer;

import java.util.function.BooleanSupplier;

/**
 * The remaining work for a parsed request before it is submitted to the engine.
 *
 * @param delivery how the response is delivered
 * @param work the remaining work
 */
public record PendingPreparation(ResponseMode delivery, Task work) {
    /** Work that may take as long as the prefill of a prompt. */
    @FunctionalInterface
    public interface Task {
        /**
         * Runs the work.
         *
         * @param disconnected whether the client disconnected; called regularly, on the caller's
         *     thread
         * @throws java.util.concurrent.CancellationException if the client disconnected
         */
        PreparedRequest prepare(BooleanSupplier disconnected);
    }

    /** Returns a preparation without remaining work. */
    public static PendingPreparation done(PreparedRequest pending) {
        return new PendingPreparation(pending.delivery(), disconnected -> pending);
    }

    /** Returns a preparation that runs {@code end} after the work, even if the work fails. */
    public PendingPreparation andThen(Runnable end) {
        return new PendingPreparation(
                delivery,
                disconnected -> {
                    try {
                        return work.prepare(disconnected);
                    } finally {
                        end.run();
                    }
                });
    }

    /** Returns whether the client requested a stream. */
    boolean streams() {
        return delivery != ResponseMode.WHOLE;
    }
}
