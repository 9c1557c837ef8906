package dev.varve.platform.http.answer;

import java.util.function.BooleanSupplier;

/**
 * What is left to be done for a request that was read, before the engine is asked.
 *
 * @param delivery how the client wants its answer
 * @param work that is left
 */
public record RequestPreparation(ResponseMode delivery, BatchEntry work) {
    /** May take as long as a prompt takes to be computed. */
    @FunctionalInterface
    public interface BatchEntry {
        /**
         * Does it.
         *
         * @param gone whether the client went away; asked now and then, on the caller's thread
         * @throws java.util.concurrent.CancellationException if it did
         */
        PreparedRequest prepare(BooleanSupplier gone);
    }

    /** Nothing is left. */
    public static RequestPreparation done(PreparedRequest pending) {
        return new RequestPreparation(pending.delivery(), gone -> pending);
    }

    /** Likewise, with something done after the work, however that ends. */
    public RequestPreparation andThen(Runnable end) {
        return new RequestPreparation(
                delivery,
                gone -> {
                    try {
                        return work.prepare(gone);
                    } finally {
                        end.run();
                    }
                });
    }

    /** Whether the client wants a stream. */
    boolean streams() {
        return delivery != ResponseMode.WHOLE;
    }
}
