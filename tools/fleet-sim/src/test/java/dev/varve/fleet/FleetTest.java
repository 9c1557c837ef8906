package dev.varve.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Optional;

/** Tests that fleets end all requests, are reproducible, and gain what they should. */
class FleetTest {
    private static final int REQUESTS = 1_500;
    private static final FleetOptions.Store STORE =
            new FleetOptions.Store(1_000_000_000, 1_000_000, 1 << 24);
    private static final FleetOptions.HandOff HAND_OFF =
            new FleetOptions.HandOff(0.5, 64, 1_000_000_000, 1_000_000, 1);

    private static FleetResult run(FleetOptions fleet, double perSecond) {
        return Fleet.run(fleet, FleetFixture.chats(perSecond), REQUESTS, 3);
    }

    @ParameterizedTest
    @EnumSource
    void equalSeedsGiveEqualResults(RoutingPolicy policy) {
        FleetOptions fleet =
                FleetFixture.fleet(4, policy)
                        .withStore(Optional.of(STORE))
                        .withFailures(
                                Optional.of(
                                        new FleetOptions.Failures(
                                                60_000_000_000L, 5_000_000_000L, false)));

        FleetResult first = run(fleet, 4);

        assertEquals(first, run(fleet, 4));
        assertNotEquals(first, Fleet.run(fleet, FleetFixture.chats(4), REQUESTS, 4));
    }

    @ParameterizedTest
    @EnumSource
    void everyRequestEndsOnce(RoutingPolicy policy) {
        FleetOptions.ReplicaLimits small =
                new FleetOptions.ReplicaLimits(2, 1, 150_000_000, 16, 65_536);

        FleetResult result = run(FleetFixture.fleet(2, policy).withLimits(small), 20);

        assertTrue(result.counts().rejected() > 0, result::toString);
        assertEquals(REQUESTS, result.counts().finished() + result.counts().rejected());
    }

    @ParameterizedTest
    @EnumSource
    void failuresLoseNoRequest(RoutingPolicy policy) {
        FleetOptions.Failures failures =
                new FleetOptions.Failures(30_000_000_000L, 10_000_000_000L, false);

        FleetResult result =
                run(
                        FleetFixture.fleet(3, policy)
                                .withHandOff(Optional.of(HAND_OFF))
                                .withFailures(Optional.of(failures)),
                        1);

        assertTrue(result.counts().moved() > 0, result::toString);
        assertEquals(REQUESTS, result.counts().finished(), result::toString);
    }

    @Test
    void warmRestartsKeepMorePrefixes() {
        FleetOptions fleet = FleetFixture.fleet(2, RoutingPolicy.LEAST_LOADED);

        FleetResult cold = run(fleet.withFailures(Optional.of(failing(false))), 2);
        FleetResult warm = run(fleet.withFailures(Optional.of(failing(true))), 2);

        assertTrue(warm.hitRate() > cold.hitRate(), () -> warm + "\n" + cold);
    }

    private static FleetOptions.Failures failing(boolean warm) {
        return new FleetOptions.Failures(20_000_000_000L, 1_000_000_000L, warm);
    }

    @Test
    void prefixRoutingHitsMoreThanRandomRouting() {
        FleetResult random = run(FleetFixture.fleet(8, RoutingPolicy.RANDOM), 8);
        FleetResult prefix = run(FleetFixture.fleet(8, RoutingPolicy.PREFIX), 8);
        FleetResult events = run(FleetFixture.fleet(8, RoutingPolicy.EVENTS), 8);

        assertTrue(prefix.hitRate() > random.hitRate() + 0.1, () -> prefix + "\n" + random);
        assertTrue(events.hitRate() > random.hitRate() + 0.1, () -> events + "\n" + random);
    }

    @Test
    void lateEventsHelpLess() {
        FleetOptions fleet = FleetFixture.fleet(8, RoutingPolicy.EVENTS);

        FleetResult soon = run(fleet, 8);
        FleetResult late = run(fleet.withEventDelay(60_000_000_000L), 8);

        assertTrue(soon.hitRate() > late.hitRate(), () -> soon + "\n" + late);
    }

    @Test
    void storeServesPrefixesOfOtherReplicas() {
        FleetOptions fleet = FleetFixture.fleet(8, RoutingPolicy.RANDOM);

        FleetResult alone = run(fleet, 8);
        FleetResult shared = run(fleet.withStore(Optional.of(STORE)), 8);

        assertTrue(shared.counts().restored() > 0, shared::toString);
        assertTrue(shared.hitRate() > alone.hitRate(), () -> shared + "\n" + alone);
        assertTrue(shared.scaling().storeBytesPerSecond() > 0, shared::toString);
    }

    @Test
    void storeThatIsSlowerThanComputingIsNotRead() {
        FleetOptions.Store slow = new FleetOptions.Store(1_000, 1_000_000, 1 << 24);

        FleetResult result =
                run(FleetFixture.fleet(4, RoutingPolicy.RANDOM).withStore(Optional.of(slow)), 4);

        assertEquals(0, result.counts().restored());
        assertEquals(REQUESTS, result.counts().finished());
    }

    @Test
    void promptsAreHandedToIdleReplicas() {
        FleetResult result =
                run(
                        FleetFixture.fleet(4, RoutingPolicy.PREFIX)
                                .withHandOff(Optional.of(HAND_OFF)),
                        4);

        assertTrue(result.counts().handedOff() > 0, result::toString);
        assertEquals(REQUESTS, result.counts().finished());
    }

    @Test
    void fasterReplicasForPrefillShortenTheTimeToTheFirstToken() {
        FleetOptions.HandOff faster =
                new FleetOptions.HandOff(0.5, 64, 1_000_000_000, 1_000_000, 10);
        FleetOptions fleet = FleetFixture.fleet(4, RoutingPolicy.PREFIX);

        FleetResult equal = run(fleet.withHandOff(Optional.of(HAND_OFF)), 4);
        FleetResult fast = run(fleet.withHandOff(Optional.of(faster)), 4);

        assertTrue(
                fast.firstTokenMillis().p95() < equal.firstTokenMillis().p95(),
                () -> fast + "\n" + equal);
    }
}
