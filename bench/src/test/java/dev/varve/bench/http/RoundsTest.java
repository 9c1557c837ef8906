package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.bench.http.stream.ServerFailure;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

class RoundsTest {
    private static final Section.Heading HEADING =
            new Section.Heading(Scenario.CLIENTS, 1, "scripted");

    private final Rounds rounds = new Rounds(4, Duration.ZERO);
    private final List<String> order = new ArrayList<>();

    @Test
    void sidesAlternateInGoingFirst() throws Exception {
        rounds.measure(HEADING, List.of(trial("server", 1), trial("peer", 1)));

        assertEquals(
                List.of(
                        "peer -1",
                        "server -1",
                        "server 0",
                        "peer 0",
                        "peer 1",
                        "server 1",
                        "server 2",
                        "peer 2",
                        "peer 3",
                        "server 3"),
                order);
    }

    @Test
    void figuresBelongToTheirSideAndTheWarmUpIsNotCounted() throws Exception {
        Section section = rounds.measure(HEADING, List.of(trial("server", 10), trial("peer", 20)));

        Series wall = section.series().get(Metric.WALL);
        assertEquals(4, section.rounds());
        assertEquals(List.of(10.0, 11.0, 12.0, 13.0), wall.server());
        assertEquals(List.of(20.0, 21.0, 22.0, 23.0), wall.peer());
        assertTrue(wall.ratio(Metric.WALL).orElseThrow().median() < 1);
    }

    @Test
    void failureEndsTheScenarioAndDiscardsItsRound() throws Exception {
        Trial failing =
                round -> {
                    if (round == 2) {
                        throw new ServerFailure("status 500");
                    }
                    return trial("peer", 1).run(round);
                };

        Section section = rounds.measure(HEADING, List.of(trial("server", 1), failing));

        assertEquals(2, section.rounds());
        assertEquals(2, section.series().get(Metric.WALL).rounds());
        assertEquals(Optional.of("status 500"), section.failure());
        assertEquals("server 2", order.getLast());
    }

    @Test
    void figureMissingOnOneSideIsNotCompared() throws Exception {
        Trial without = _ -> new Sample(Map.of(Metric.TOKENS, 1.0));

        Section section = rounds.measure(HEADING, List.of(trial("server", 1), without));

        assertTrue(section.series().isEmpty(), () -> section.series().toString());
    }

    @Test
    void zeroPeerFigureHasNoRatio() {
        Series series = new Series();
        series.add(List.of(1.0, 0.0));

        assertEquals(Optional.empty(), series.ratio(Metric.WALL));
    }

    private Trial trial(String name, double figure) {
        return round -> {
            order.add(name + " " + round);
            return new Sample(Map.of(Metric.WALL, figure + round));
        };
    }
}
