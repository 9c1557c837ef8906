package dev.varve.bench.http;

import dev.varve.bench.Ratio;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One figure over the rounds, of one side or of both. For one thread. */
final class Series {
    private final List<List<Double>> rounds = new ArrayList<>();

    /** Adds a round: the server's figure and, with a peer, the peer's. */
    void add(List<Double> sides) {
        rounds.add(List.copyOf(sides));
    }

    int rounds() {
        return rounds.size();
    }

    boolean hasPeer() {
        return rounds.getFirst().size() > 1;
    }

    List<Double> server() {
        return column(0);
    }

    List<Double> peer() {
        return hasPeer() ? column(1) : List.of();
    }

    /** Server over peer; nothing without a peer, or where its figure is 0. */
    Optional<Ratio> ratio(Metric metric) {
        if (!hasPeer() || peer().contains(0.0)) {
            return Optional.empty();
        }
        Ratio ratio = new Ratio(metric.key());
        rounds.forEach(round -> ratio.add(round.get(0), round.get(1)));
        return Optional.of(ratio);
    }

    static double median(List<Double> values) {
        return Ratio.median(values.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private List<Double> column(int side) {
        return rounds.stream().map(round -> round.get(side)).toList();
    }
}
