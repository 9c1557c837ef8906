package dev.varve.platform.engine;

import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * How far a request is. Its parts are looked at one after the other while the engine goes on, so
 * they may be of two steps that follow one another.
 *
 * @param state what is done for it
 * @param promptTokens tokens of its prompt
 * @param cachedTokens of these, those that needed no computing; 0 before it ran
 * @param computedTokens of these, those that are there, the cached ones included
 * @param generatedTokens tokens that were chosen
 * @param answering time since its first token; empty before
 */
public record GenerationProgress(
        State state,
        int promptTokens,
        int cachedTokens,
        int computedTokens,
        int generatedTokens,
        Optional<Duration> answering) {
    /** What is done for a request. */
    public enum State {
        /** It waits for its turn. */
        QUEUED,
        /** The beginning of its prompt is copied from host memory. */
        RESTORING,
        /** Its prompt is computed. */
        PREFILL,
        /** It gets its next token. */
        DECODE,
        /**
         * It ran, and waits again: for room, or for a lost shard. It goes on with the same tokens.
         */
        PARKED,
        /** It has ended. */
        ENDED;

        /** The word that people and programs read, such as {@code prefill}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Checks that nothing is missing. */
    public GenerationProgress {
        Objects.requireNonNull(state);
        Objects.requireNonNull(answering);
    }
}
