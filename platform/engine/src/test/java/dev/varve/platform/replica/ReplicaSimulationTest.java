package dev.varve.platform.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.simulation.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** See {@link ReplicaScenario}. */
class ReplicaSimulationTest {
    @Test
    void invariantsHoldInAnyOrder() {
        Seeds.run(ReplicaScenario.class, Seeds.FEW);
    }

    @Test
    @Tag("nightly")
    void invariantsHoldInManyOrders() {
        Seeds.run(ReplicaScenario.class, Seeds.MANY);
    }

    @Test
    void oneSeedGivesOneTrace() {
        assertEquals(Seeds.trace(ReplicaScenario.class, 7), Seeds.trace(ReplicaScenario.class, 7));
    }
}
