package dev.varve.platform.engine;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * Status of one of several engines that share the requests of a model.
 *
 * @param id its number, from 0
 * @param state whether it accepts requests
 * @param reason why it accepts none
 * @param load limits and current number of requests; zeros while no engine is loaded
 * @param tokens processed tokens, earlier engines of the replica included
 * @param moves moved requests and restarts
 */
public record ReplicaStatus(
        int id,
        State state,
        Optional<String> reason,
        EngineStatus.Load load,
        EngineStatus.Tokens tokens,
        FailoverCounts moves) {
    /** State of a replica. */
    public enum State {
        /** It accepts requests. */
        READY,
        /** One of its shards is missing. */
        RECOVERING,
        /** Its engine has failed, or is being loaded again. */
        DOWN,
        /** An operator drains it: its requests move to other replicas, and it gets no others. */
        DRAINING,
        /** An operator has drained it, and it has no engine until it is resumed. */
        DRAINED;

        /** Returns the name in lower case, for APIs and logs. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Failovers and restarts of a replica.
     *
     * @param movedRequests requests that continued at another replica
     * @param restarts how often it was loaded again
     */
    public record FailoverCounts(long movedRequests, long restarts) {}

    /** Checks that no component is null. */
    public ReplicaStatus {
        Objects.requireNonNull(state);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(load);
        Objects.requireNonNull(tokens);
        Objects.requireNonNull(moves);
    }

    /** Returns whether it accepts requests. */
    public boolean isReady() {
        return state == State.READY;
    }

    /** Returns whether an operator drains it, or has drained it. */
    public boolean isDrained() {
        return state == State.DRAINING || state == State.DRAINED;
    }
}
