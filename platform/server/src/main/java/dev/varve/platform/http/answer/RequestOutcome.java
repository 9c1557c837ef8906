package dev.varve.platform.http.answer;

import java.util.Optional;

/**
 * How a request ended, for metrics and the log.
 *
 * @param finishReason of its last choice; empty for one that generates nothing
 * @param generatedTokens of all its choices
 */
public record RequestOutcome(Optional<String> finishReason, int generatedTokens) {
    /** Of what generates nothing. */
    public static final RequestOutcome PLAIN = new RequestOutcome(Optional.empty(), 0);

    /** Of a stream that broke off before its answer began. */
    public static final RequestOutcome FAILED = new RequestOutcome(Optional.of("error"), 0);

    /** Of a client that went away. */
    public static final RequestOutcome DISCONNECTED =
            new RequestOutcome(Optional.of("disconnect"), 0);
}
