package dev.varve.platform.http.answer;

import java.util.function.BooleanSupplier;

/** What is left to be done for a request that was read, before the engine is asked. */
@FunctionalInterface
public interface AnswerPreparation {
    /**
     * Does it; that may take as long as a prompt takes to be computed.
     *
     * @param gone whether the client went away; asked now and then
     * @throws java.util.concurrent.CancellationException if it did
     */
    PendingAnswer prepare(BooleanSupplier gone);
}
