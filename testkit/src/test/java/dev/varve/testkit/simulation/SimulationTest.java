package dev.varve.testkit.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.simulation.sample.CountedUnderLock;
import dev.varve.testkit.simulation.sample.CrossedLocks;
import dev.varve.testkit.simulation.sample.HashOrder;
import dev.varve.testkit.simulation.sample.LostUpdate;
import dev.varve.testkit.simulation.sample.Times;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

/** The guarantees that all scenarios rely on. The tests use deliberately wrong code. */
class SimulationTest {
    private static final int SEEDS = 50;

    private static List<String> failures(Class<? extends Scenario> scenario) {
        List<String> failures = new ArrayList<>();
        for (long seed = 0; seed < SEEDS; seed++) {
            try {
                Seeds.trace(scenario, seed);
            } catch (SimulationFailure e) {
                failures.add(e.getMessage());
            }
        }
        return failures;
    }

    @Test
    void someSeedsLoseAnUpdateAndOthersDoNot() {
        List<String> failures = failures(LostUpdate.class);

        assertFalse(failures.isEmpty());
        assertTrue(failures.size() < SEEDS);
        assertTrue(failures.getFirst().contains("expected 6, found "), failures.getFirst());
    }

    @Test
    void failureNamesItsSeedWhichFailsAgainAlone() {
        String failure = failures(LostUpdate.class).getFirst();
        long seed = Long.parseLong(failure.replaceAll("(?s).*?seed=(\\d+) .*", "$1"));

        SimulationFailure again =
                assertThrows(SimulationFailure.class, () -> Seeds.trace(LostUpdate.class, seed));

        assertEquals(failure, again.getMessage());
    }

    @Test
    void monitorsExcludeOtherThreads() {
        assertEquals(List.of(), failures(CountedUnderLock.class));
    }

    @Test
    void deadlockedThreadsAreNamedWithTheirLocation() {
        List<String> failures = failures(CrossedLocks.class);

        assertFalse(failures.isEmpty());
        assertTrue(failures.getFirst().contains("nothing can continue"), failures.getFirst());
        assertTrue(failures.getFirst().contains("CrossedLocks.take"), failures.getFirst());
    }

    @Test
    void waitsTakeSimulatedTime() {
        assertEquals(List.of(), failures(Times.class));
    }

    @Test
    void seedsDifferInTheOrderOfThreads() {
        long traces =
                LongStream.range(0, SEEDS)
                        .map(seed -> Seeds.trace(CountedUnderLock.class, seed).digest())
                        .distinct()
                        .count();

        assertTrue(traces > SEEDS / 2, () -> traces + " different traces");
    }

    @ParameterizedTest
    @ValueSource(classes = {CountedUnderLock.class, HashOrder.class})
    void oneSeedGivesOneTrace(Class<? extends Scenario> scenario) {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertEquals(Seeds.trace(scenario, seed), Seeds.trace(scenario, seed));
        }
    }
}
