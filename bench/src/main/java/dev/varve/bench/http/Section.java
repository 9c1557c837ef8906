package dev.varve.bench.http;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The figures of a scenario over its rounds. */
final class Section {
    private final Heading heading;
    private final Map<Metric, Series> series = new EnumMap<>(Metric.class);
    private Optional<String> failure = Optional.empty();
    private int rounds;

    /**
     * Description of a measurement.
     *
     * @param clients how many there were at once
     * @param title the sizes, for people
     */
    record Heading(Scenario scenario, int clients, String title) {}

    Section(Heading heading) {
        this.heading = heading;
    }

    /** Adds a round: the server's figures and, with a peer, the peer's. */
    void add(List<Sample> sides) {
        rounds++;
        for (Metric metric : Metric.values()) {
            List<Double> values =
                    sides.stream()
                            .map(side -> side.figures().get(metric))
                            .filter(Objects::nonNull)
                            .toList();
            if (values.size() == sides.size()) {
                series.computeIfAbsent(metric, _ -> new Series()).add(values);
            }
        }
    }

    /** Records that the next round failed, and that no further one was run. */
    void fail(String reason) {
        failure = Optional.of(reason);
    }

    Heading heading() {
        return heading;
    }

    int rounds() {
        return rounds;
    }

    Map<Metric, Series> series() {
        return Collections.unmodifiableMap(series);
    }

    /** Returns the reason why there are fewer rounds than requested. */
    Optional<String> failure() {
        return failure;
    }
}
