package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.simulation.Seeds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** See {@link EngineScenario}. */
class EngineSimulationTest {
    @Test
    void invariantsHoldInAnyOrder() {
        Seeds.run(EngineScenario.class, Seeds.FEW);
    }

    @Test
    @Tag("nightly")
    void invariantsHoldInManyOrders() {
        Seeds.run(EngineScenario.class, Seeds.MANY);
    }

    @Test
    void oneSeedGivesOneTrace() {
        assertEquals(Seeds.trace(EngineScenario.class, 7), Seeds.trace(EngineScenario.class, 7));
    }
}
