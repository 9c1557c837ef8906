package dev.varve.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.replica.PromptBlockHashes;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;

/** Tests the parts of the simulator alone. */
class FleetPartsTest {
    private static Turn turn(long session, int prompt) {
        return new Turn(session, 0, 64, prompt, 1);
    }

    @Test
    void eventsRunInOrder() {
        EventQueue events = new EventQueue();
        List<String> ran = new ArrayList<>();
        events.at(20, () -> ran.add("c"));
        events.at(10, () -> ran.add("a"));
        events.at(10, () -> ran.add("b"));

        while (events.runNext()) {
            assertTrue(events.now() >= 10);
        }

        assertEquals(List.of("a", "b", "c"), ran);
        assertThrows(IllegalArgumentException.class, () -> events.at(19, () -> {}));
    }

    @Test
    void percentilesAreByNearestRank() {
        Histogram histogram = new Histogram();
        for (int value = 1; value <= 100; value++) {
            histogram.add(value * 1e6);
        }

        assertEquals(50e6, histogram.percentile(50), 0.51e6);
        assertEquals(95e6, histogram.percentile(95), 0.96e6);
        assertEquals(50.5e6, histogram.mean(), 1);
        assertEquals(0, new Histogram().percentile(50));
    }

    @Test
    void leastRecentlyUsedSequencesAreEvicted() {
        List<String> changes = new ArrayList<>();
        SequenceLru cache =
                new SequenceLru(
                        500,
                        (text, before, after) -> changes.add(text + ":" + before + ":" + after));
        cache.add(turn(1, 200), 200);
        cache.add(turn(2, 200), 200);
        assertEquals(200, cache.lookup(turn(1, 300)));

        cache.add(turn(3, 200), 200);

        assertEquals(64, cache.lookup(turn(2, 300)), "only its system prompt is left");
        assertEquals(200, cache.lookup(turn(1, 300)));
        assertEquals(List.of("1:0:200", "-1:0:64", "2:0:200", "3:0:200", "2:200:0"), changes);
        assertEquals(464, cache.used());
    }

    @Test
    void turnsOfASessionBeginAlike() {
        PromptBlockHashes first = turn(1, 160).blocks();
        PromptBlockHashes next = turn(1, 320).blocks();
        PromptBlockHashes other = turn(2, 160).blocks();

        for (int block = 0; block < first.count(); block++) {
            assertEquals(first.get(block), next.get(block));
            assertEquals(block < 2, first.get(block) == other.get(block), "block " + block);
        }
    }

    @Test
    void arrivalsHaveTheirRate() {
        for (boolean bursty : new boolean[] {false, true}) {
            Workload workload =
                    new Workload(
                            FleetFixture.fixed(0, 10, 1, 1, 0),
                            new Workload.Arrivals(10, bursty),
                            1,
                            1);
            long last = 0;
            for (int i = 0; i < 200_000; i++) {
                last = workload.nextArrival();
            }
            assertEquals(10, 200_000e9 / last, bursty ? 1 : 0.2);
        }
    }

    @Test
    void shapesHaveTheLengthsOfTheirSamples() {
        Workload workload = FleetFixture.workload(WorkloadShape.CONVERSATION, 1, 1);
        double prompts = 0;
        double outputs = 0;
        int turns = 0;
        for (int i = 0; i < 20_000; i++) {
            Sessions.Session session = workload.nextSession();
            boolean more = true;
            while (more) {
                Turn turn = session.next();
                prompts += turn.promptTokens();
                outputs += turn.outputTokens();
                turns++;
                more = session.thinks().isPresent();
            }
        }
        assertEquals(1.7, turns / 20_000.0, 0.05);
        assertEquals(12_576, prompts / turns, 1_300);
        assertEquals(361, outputs / turns, 20);
    }
}
