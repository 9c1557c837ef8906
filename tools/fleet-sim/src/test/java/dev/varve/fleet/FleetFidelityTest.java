package dev.varve.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.engine.EngineLoad;
import dev.varve.testkit.simulation.Seeds;

import org.junit.jupiter.api.Test;

import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * Compares a simulated replica with the engine: the same requests at the same times, over a device
 * with the same costs.
 */
class FleetFidelityTest {
    /** Part of a figure by which the simulator may be off. */
    private static final double DEVIATION = 0.02;

    private static final String MARK = "request ";

    private final List<EngineLoad.Timed> requests = EngineLoad.requests();

    /** The requests as sessions of one turn. */
    private static final class Replay implements Sessions {
        private final Iterator<EngineLoad.Timed> requests;
        private EngineLoad.Timed current = new EngineLoad.Timed(0, 1, 1);
        private long number;

        Replay(List<EngineLoad.Timed> requests) {
            this.requests = requests.iterator();
        }

        @Override
        public long nextArrival() {
            current = requests.hasNext() ? requests.next() : current;
            return current.arrival();
        }

        @Override
        public Session nextSession() {
            Turn turn = new Turn(number++, 0, 0, current.prompt(), current.output());
            return new Session() {
                @Override
                public Turn next() {
                    return turn;
                }

                @Override
                public Optional<Long> thinks() {
                    return Optional.empty();
                }
            };
        }
    }

    private FleetResult simulate() {
        FleetOptions.ReplicaLimits usual = FleetOptions.ReplicaLimits.DEFAULT;
        FleetOptions fleet =
                FleetOptions.of(1, RoutingPolicy.PREFIX)
                        .withCosts(
                                new StepCosts(
                                        EngineLoad.BASE_NANOS,
                                        EngineLoad.ROW_NANOS,
                                        EngineLoad.COLUMN_NANOS))
                        .withLimits(
                                new FleetOptions.ReplicaLimits(
                                        EngineLoad.PARALLEL,
                                        usual.maxQueue(),
                                        usual.maxGapNanos(),
                                        usual.columnGroup(),
                                        usual.cacheTokens()));
        return Fleet.run(fleet, new Replay(requests), requests.size(), 1);
    }

    private static List<String> events() {
        return Seeds.undisturbed(EngineLoad.class).events().stream()
                .filter(each -> each.contains(MARK))
                .toList();
    }

    private static void assertClose(double expected, double found, String what) {
        assertEquals(expected, found, DEVIATION * expected, what);
    }

    @Test
    void timesAreThoseOfTheEngine() {
        Histogram first = new Histogram();
        Histogram token = new Histogram();
        long end = 0;
        for (String event : events()) {
            String[] parts = event.substring(event.indexOf(MARK) + MARK.length()).split(" ");
            EngineLoad.Timed request = requests.get(Integer.parseInt(parts[0]));
            long firstToken = Long.parseLong(parts[1]);
            long last = Long.parseLong(parts[2]);
            first.add(firstToken - request.arrival());
            token.add((double) (last - firstToken) / (request.output() - 1));
            end = Math.max(end, last);
        }
        FleetResult.Percentiles expected = FleetResult.Percentiles.millis(first);
        FleetResult.Percentiles perToken = FleetResult.Percentiles.millis(token);

        FleetResult found = simulate();

        assertEquals(requests.size(), first.count());
        assertClose(expected.p50(), found.firstTokenMillis().p50(), "TTFT p50");
        assertClose(expected.p95(), found.firstTokenMillis().p95(), "TTFT p95");
        assertClose(perToken.p50(), found.tokenMillis().p50(), "time per token p50");
        assertClose(perToken.p95(), found.tokenMillis().p95(), "time per token p95");
        assertClose(end / 1e9, found.seconds(), "end");
    }
}
