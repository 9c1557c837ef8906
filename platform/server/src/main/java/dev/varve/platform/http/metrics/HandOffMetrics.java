package dev.varve.platform.http.metrics;

import static dev.varve.platform.http.metrics.MetricFamily.counter;
import static dev.varve.platform.http.metrics.MetricFamily.gauge;

import dev.varve.platform.prefix.HandOffOutcome;
import dev.varve.platform.prefix.HandOffStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;

/** Metrics of the hand-off of prompts to prefill peers. */
final class HandOffMetrics {
    private HandOffMetrics() {}

    static List<MetricSnapshot> of(HandOffStatus handOff) {
        return List.of(
                gauge(
                        "varve_hand_off_peers",
                        "Prefill peers to which prompts may be sent at the moment.",
                        handOff.peers().stream().filter(HandOffStatus.Peer::available).count()),
                counter(
                        "varve_hand_off_prompts",
                        "Long prompts on a server with prefill peers, by outcome.",
                        HandOffOutcome.values(),
                        outcome -> Labels.of("outcome", outcome.word()),
                        handOff.outcomes()),
                counter(
                        "varve_hand_off_tokens",
                        "Prompt tokens that prefill peers computed.",
                        handOff.tokens()),
                counter(
                        "varve_hand_off_read_bytes",
                        "Bytes of blocks that were read from prefill peers.",
                        handOff.readBytes()));
    }
}
