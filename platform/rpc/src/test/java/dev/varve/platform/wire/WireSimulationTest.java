package dev.varve.platform.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.simulation.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** See {@link WireScenario}. */
class WireSimulationTest {
    @Test
    void invariantsHoldInAnyOrder() {
        Seeds.run(WireScenario.class, Seeds.FEW);
    }

    @Test
    @Tag("nightly")
    void invariantsHoldInManyOrders() {
        Seeds.run(WireScenario.class, Seeds.MANY);
    }

    @Test
    void oneSeedGivesOneTrace() {
        assertEquals(Seeds.trace(WireScenario.class, 7), Seeds.trace(WireScenario.class, 7));
    }
}
