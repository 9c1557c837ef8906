package dev.varve.platform.engine;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Progress of a request. Its components are read one after the other while the engine runs, so they
 * may belong to two consecutive steps.
 *
 * @param state current state
 * @param promptTokens tokens of its prompt
 * @param cachedTokens of these, tokens that needed no prefill; 0 before the request ran
 * @param computedTokens of the prompt tokens, those that are computed, cached ones included
 * @param generatedTokens tokens that were generated
 * @param generationTime time since the first generated token; empty before it
 */
public record GenerationProgress(
        State state,
        int promptTokens,
        int cachedTokens,
        int computedTokens,
        int generatedTokens,
        Optional<Duration> generationTime) {
    /** State of a request. */
    public enum State {
        /** The request is queued and has not run. */
        QUEUED,
        /** Its cached prefix is being copied from host memory. */
        RESTORING,
        /** Its prompt is being computed. */
        PREFILL,
        /** It generates tokens. */
        DECODE,
        /**
         * It ran and was requeued, for lack of slots or after the loss of a shard. It continues
         * with the same tokens.
         */
        PARKED,
        /** The request has ended. */
        ENDED;

        /** Returns the name in lower case, for APIs and logs, such as {@code prefill}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks that no component is null. */
    public GenerationProgress {
        Objects.requireNonNull(state);
        Objects.requireNonNull(generationTime);
    }
}
