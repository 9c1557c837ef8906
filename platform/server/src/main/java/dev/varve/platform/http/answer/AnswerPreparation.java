package dev.varve.platform.http.answer;

import java.util.function.BooleanSupplier;

/**
 * What is left to be done for a request that was read, before the engine is asked.
 *
 * @param delivery how the client wants its answer
 * @param work that is left
 */
public record AnswerPreparation(Delivery delivery, Work work) {
    /** May take as long as a prompt takes to be computed. */
    @FunctionalInterface
    public interface Work {
        /**
         * Does it.
         *
         * @param gone whether the client went away; asked now and then, on the caller's thread
         * @throws java.util.concurrent.CancellationException if it did
         */
        PendingAnswer prepare(BooleanSupplier gone);
    }

    /** Nothing is left. */
    public static AnswerPreparation done(PendingAnswer pending) {
        return new AnswerPreparation(pending.delivery(), gone -> pending);
    }

    /** Likewise, with something done after the work, however that ends. */
    public AnswerPreparation andThen(Runnable end) {
        return new AnswerPreparation(
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
        return delivery != Delivery.WHOLE;
    }
}
