package dev.varve.bench.reliability;

/** Result of a request, as its client saw it. */
sealed interface Outcome {
    /**
     * A whole answer.
     *
     * @param text content and reasoning, in this order
     * @param finish its finish reason
     */
    record Complete(String text, String finish) implements Outcome {}

    /** The client closed the connection before the end, as it was to. */
    record Left() implements Outcome {}

    /** The request was cancelled, as it was to be. */
    record Cancelled() implements Outcome {}

    /**
     * Anything else.
     *
     * @param reason status, error event or exception
     */
    record Failed(String reason) implements Outcome {}
}
