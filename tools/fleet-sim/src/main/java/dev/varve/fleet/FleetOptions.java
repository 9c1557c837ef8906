package dev.varve.fleet;

import java.util.Optional;

/**
 * A fleet to simulate.
 *
 * @param replicas number of replicas, those for prefill included
 * @param policy how requests are routed
 * @param eventDelayNanos time until an event of a cache reaches the router
 * @param costs duration of steps
 * @param replica sizes and limits of each replica
 * @param transfer bytes of cached tokens
 * @param store the shared store; empty for none
 * @param handOff prefill on other replicas; empty for none
 * @param failures how replicas fail; empty if they do not
 */
public record FleetOptions(
        int replicas,
        RoutingPolicy policy,
        long eventDelayNanos,
        StepCosts costs,
        ReplicaLimits replica,
        TransferSize transfer,
        Optional<Store> store,
        Optional<HandOff> handOff,
        Optional<Failures> failures) {

    /** Checks the number of replicas. */
    public FleetOptions {
        if (replicas < 1) {
            throw new IllegalArgumentException("replicas must be positive, got " + replicas);
        }
    }

    /**
     * Sizes and limits of a replica.
     *
     * @param parallel most running requests
     * @param maxQueue most queued requests
     * @param maxGapNanos limit of steps beside streams, as of {@code --max-gap}
     * @param columnGroup columns that its shards compute together; 1 if a piece may have any length
     * @param cacheTokens tokens of finished sequences in its prefix cache
     */
    public record ReplicaLimits(
            int parallel, int maxQueue, long maxGapNanos, int columnGroup, long cacheTokens) {
        /** The server's defaults, and a cache of 131,072 tokens. */
        public static final ReplicaLimits DEFAULT =
                new ReplicaLimits(8, 64, 150_000_000, 16, 131_072);
    }

    /**
     * Bytes of a cached prefix.
     *
     * @param bytesPerToken keys and values of a token in all layers
     * @param stateBytes recurrent state at the end of a prefix
     */
    public record TransferSize(long bytesPerToken, long stateBytes) {
        /**
         * The shape of the measured machine: 6 layers with keys and values of 2 heads of 256 in
         * F16, and 18 recurrent layers with 16 states of 128 by 128 in F32.
         */
        public static final TransferSize MEASURED = new TransferSize(12_288, 18_874_368);

        /** Returns the bytes of a number of tokens and one state. */
        long of(long tokens) {
            return tokens * bytesPerToken + stateBytes;
        }
    }

    /**
     * The shared store.
     *
     * @param bytesPerSecond of all its transfers together
     * @param latencyNanos of each transfer
     * @param capacityTokens tokens that it can hold
     */
    public record Store(long bytesPerSecond, long latencyNanos, long capacityTokens) {}

    /**
     * Prefill on replicas that do nothing else.
     *
     * @param share part of all replicas that compute prompts only, at least one of them
     * @param minTokens least number of missing prompt tokens
     * @param bytesPerSecond of the link of a replica
     * @param latencyNanos of the link
     * @param speed how many times as fast those replicas compute prompt tokens
     */
    public record HandOff(
            double share, int minTokens, long bytesPerSecond, long latencyNanos, double speed) {
        /** Returns the costs of the replicas for prefill. */
        StepCosts costs(StepCosts others) {
            return new StepCosts(
                    others.baseNanos(),
                    others.rowNanos(),
                    Math.max(1, Math.round(others.columnNanos() / speed)));
        }
    }

    /**
     * How replicas fail.
     *
     * @param meanUptimeNanos mean time until a replica fails; exponentially distributed
     * @param restartNanos time until it computes again
     * @param warm whether its prefix cache survives
     */
    public record Failures(long meanUptimeNanos, long restartNanos, boolean warm) {}

    /** Returns a plain fleet with defaults. */
    public static FleetOptions of(int replicas, RoutingPolicy policy) {
        return new FleetOptions(
                replicas,
                policy,
                0,
                StepCosts.MEASURED,
                ReplicaLimits.DEFAULT,
                TransferSize.MEASURED,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns the same fleet with other limits of replicas. */
    public FleetOptions withLimits(ReplicaLimits other) {
        return new FleetOptions(
                replicas,
                policy,
                eventDelayNanos,
                costs,
                other,
                transfer,
                store,
                handOff,
                failures);
    }

    /** Returns the same fleet with a delay of events. */
    public FleetOptions withEventDelay(long nanos) {
        return new FleetOptions(
                replicas, policy, nanos, costs, replica, transfer, store, handOff, failures);
    }

    /** Returns the same fleet with other costs. */
    public FleetOptions withCosts(StepCosts other) {
        return new FleetOptions(
                replicas,
                policy,
                eventDelayNanos,
                other,
                replica,
                transfer,
                store,
                handOff,
                failures);
    }

    /** Returns the same fleet with transferred bytes of another model. */
    public FleetOptions withTransfer(TransferSize other) {
        return new FleetOptions(
                replicas, policy, eventDelayNanos, costs, replica, other, store, handOff, failures);
    }

    /** Returns the same fleet with a store, or without. */
    public FleetOptions withStore(Optional<Store> other) {
        return new FleetOptions(
                replicas,
                policy,
                eventDelayNanos,
                costs,
                replica,
                transfer,
                other,
                handOff,
                failures);
    }

    /** Returns the same fleet with hand-off of prompts, or without. */
    public FleetOptions withHandOff(Optional<HandOff> other) {
        return new FleetOptions(
                replicas,
                policy,
                eventDelayNanos,
                costs,
                replica,
                transfer,
                store,
                other,
                failures);
    }

    /** Returns the same fleet with failures, or without. */
    public FleetOptions withFailures(Optional<Failures> other) {
        return new FleetOptions(
                replicas, policy, eventDelayNanos, costs, replica, transfer, store, handOff, other);
    }

    /** Returns the number of replicas that compute prompts only. */
    int prefillReplicas() {
        return handOff.filter(any -> replicas > 1)
                .map(each -> Math.clamp(Math.round(replicas * each.share()), 1, replicas - 1))
                .orElse(0);
    }
}
