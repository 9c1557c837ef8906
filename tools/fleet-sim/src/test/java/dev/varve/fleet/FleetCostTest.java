package dev.varve.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.util.Optional;

/** Compares simulated times with times that are computed by hand. */
class FleetCostTest {
    /** Percentiles are at most 1 % off. */
    private static final double CLOSE = 0.011;

    private static void assertClose(double expected, double found) {
        assertEquals(expected, found, expected * CLOSE);
    }

    private static FleetResult runOne(FleetOptions fleet, int prompt, int output) {
        return Fleet.run(
                fleet,
                FleetFixture.workload(FleetFixture.fixed(0, prompt, 1, output, 0), 1, 1),
                1,
                1);
    }

    @Test
    void stepHasABaseRowsAndColumns() {
        assertEquals(10_000_000 + 3 * 2_000_000 + 5 * 1_000_000, FleetFixture.COSTS.of(3, 5));
    }

    @Test
    void measuredCostsGiveTheMeasuredRates() {
        StepCosts costs = StepCosts.MEASURED;

        assertEquals(345, 512e9 / costs.of(0, 512), 5);
        assertEquals(83, 1e9 / costs.of(1, 0), 1);
        assertEquals(175, 8e9 / costs.of(8, 0), 3);
    }

    @Test
    void promptAloneIsComputedInWholeWindows() {
        FleetResult result = runOne(FleetFixture.fleet(1, RoutingPolicy.RANDOM), 600, 3);

        // windows of 512 and 88 columns, then two steps of one row
        assertClose(10 + 512 + 10 + 88, result.firstTokenMillis().p50());
        assertClose(10 + 2, result.tokenMillis().p50());
        assertEquals(603, result.tokensPerReplicaSecond() * result.seconds(), 0.01);
        assertEquals(0, result.hitRate());
    }

    @Test
    void nextTurnComputesWhatIsNew() {
        // Turns of 256 + 4 tokens, then 60 more in the prompt; every session has many turns.
        Workload workload =
                FleetFixture.workload(FleetFixture.fixed(0, 256, 60, 4, 0.999999), 1, 1);

        FleetResult result = Fleet.run(FleetFixture.fleet(1, RoutingPolicy.RANDOM), workload, 2, 1);

        assertEquals(260.0 / (256 + 320), result.hitRate(), 1e-9);
        assertClose(10 + 60, result.firstTokenMillis().p50());
        assertClose(10 + 256, result.firstTokenMillis().p99());
    }

    @Test
    void handedOffPromptCostsItsLastWindowOnTheLink() {
        FleetOptions.HandOff link = new FleetOptions.HandOff(0.5, 1, 1_000_000_000, 1_000_000, 1);
        Workload together =
                FleetFixture.workload(FleetFixture.fixed(0, 600, 1, 3, 0), 1_000_000, 1);

        FleetResult result =
                Fleet.run(
                        FleetFixture.fleet(2, RoutingPolicy.RANDOM).withHandOff(Optional.of(link)),
                        together,
                        2,
                        1);

        // The first is computed at home: the peer would be as fast, and the link takes time.
        assertEquals(1, result.counts().handedOff());
        assertClose(10 + 512 + 10 + 88, result.firstTokenMillis().p50());
        // The second begins after the first window: its windows at the peer, one window and the
        // state on the link, and its last column at home.
        double tail = 1 + (512 * 12_288 + 18_874_368) / 1e6;
        assertClose(522 + 522 + 98 + tail + 10 + 1, result.firstTokenMillis().p99());
    }
}
