package dev.varve.fleet;

import java.util.List;
import java.util.Optional;

/**
 * A fleet with a name for tables and charts.
 *
 * @param name such as "prefix + store"
 * @param fleet how it routes and what it has beside replicas
 */
public record Scenario(String name, FleetOptions fleet) {
    /** Delay of events, if events are simulated: a batch of events and a network. */
    private static final long EVENT_DELAY_NANOS = 50_000_000;

    /**
     * Returns the scenarios that are compared: five kinds of routing, and the engine's router with
     * a store, with hand-off and with failures.
     *
     * @param base sizes and costs
     * @param store the shared store
     * @param handOff the replicas for prefill
     * @param failures how replicas fail
     */
    static List<Scenario> all(
            FleetOptions base,
            FleetOptions.Store store,
            FleetOptions.HandOff handOff,
            FleetOptions.Failures failures) {
        FleetOptions prefix = routed(base, RoutingPolicy.PREFIX);
        return List.of(
                new Scenario("random", routed(base, RoutingPolicy.RANDOM)),
                new Scenario("least loaded", routed(base, RoutingPolicy.LEAST_LOADED)),
                new Scenario("session", routed(base, RoutingPolicy.SESSION)),
                new Scenario("prefix", prefix),
                new Scenario(
                        "events",
                        routed(base, RoutingPolicy.EVENTS).withEventDelay(EVENT_DELAY_NANOS)),
                new Scenario(
                        "random + store",
                        routed(base, RoutingPolicy.RANDOM).withStore(Optional.of(store))),
                new Scenario("prefix + store", prefix.withStore(Optional.of(store))),
                new Scenario("prefix + hand-off", prefix.withHandOff(Optional.of(handOff))),
                new Scenario("prefix + failures", prefix.withFailures(Optional.of(failures))));
    }

    private static FleetOptions routed(FleetOptions base, RoutingPolicy policy) {
        return new FleetOptions(
                base.replicas(),
                policy,
                0,
                base.costs(),
                base.replica(),
                base.transfer(),
                base.store(),
                base.handOff(),
                base.failures());
    }

    /** Returns the same scenario with another number of replicas. */
    Scenario withReplicas(int replicas) {
        return new Scenario(
                name,
                new FleetOptions(
                        replicas,
                        fleet.policy(),
                        fleet.eventDelayNanos(),
                        fleet.costs(),
                        fleet.replica(),
                        fleet.transfer(),
                        fleet.store(),
                        fleet.handOff(),
                        fleet.failures()));
    }

    /**
     * The result of a scenario.
     *
     * @param scenario its name
     * @param result what its fleet did
     */
    record Outcome(String scenario, FleetResult result) {}
}
