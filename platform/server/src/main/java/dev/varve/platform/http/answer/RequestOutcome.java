package dev.varve.platform.http.answer;

import java.util.Optional;

/**
 * How a request ended, for metrics and the log.
 *
 * @param finishReason finish reason of the last choice; empty for a request that generates nothing
 * @param generatedTokens number of generated tokens of all choices
 */
public record RequestOutcome(Optional<String> finishReason, int generatedTokens) {
    /** Outcome of a request that generates nothing. */
    public static final RequestOutcome PLAIN = new RequestOutcome(Optional.empty(), 0);

    /** Outcome of a stream that failed before its response began. */
    public static final RequestOutcome FAILED = new RequestOutcome(Optional.of("error"), 0);

    /** Outcome of a request whose client disconnected. */
    public static final RequestOutcome DISCONNECTED =
            new RequestOutcome(Optional.of("disconnect"), 0);
}
