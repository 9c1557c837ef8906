package dev.varve.platform.engine;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * One of several engines of a model that share its requests.
 *
 * @param id its number, from 0
 * @param state whether it gets requests
 * @param reason why it gets none
 * @param load what it may do at once and does; nothing while it is down
 * @param tokens that went through it, earlier engines in its place included
 * @param moves what became of requests that it could not end
 */
public record ReplicaStatus(
        int id,
        State state,
        Optional<String> reason,
        EngineStatus.Load load,
        EngineStatus.Tokens tokens,
        Moves moves) {
    /** Whether a replica gets requests. */
    public enum State {
        /** It gets requests. */
        READY,
        /** One of its shards is missing. */
        RECOVERING,
        /** It is broken, or being loaded again. */
        DOWN;

        /** The word that people and programs read. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * What happened to a replica.
     *
     * @param movedRequests that went on at another one
     * @param restarts how often it was loaded again
     */
    public record Moves(long movedRequests, long restarts) {}

    /** Checks that nothing is missing. */
    public ReplicaStatus {
        Objects.requireNonNull(state);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(load);
        Objects.requireNonNull(tokens);
        Objects.requireNonNull(moves);
    }

    /** Whether it gets requests. */
    public boolean isReady() {
        return state == State.READY;
    }
}
