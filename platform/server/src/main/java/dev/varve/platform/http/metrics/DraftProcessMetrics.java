package dev.varve.platform.http.metrics;

import dev.varve.platform.draft.RemoteDraftStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.Locale;

/** Metrics of a draft model in a process of its own, labelled with its device. */
final class DraftProcessMetrics {
    private static final double MILLIS_PER_SECOND = 1000;

    private final Labels labels;

    private DraftProcessMetrics(RemoteDraftStatus draft) {
        labels = Labels.of("device", draft.device());
    }

    static List<MetricSnapshot> of(RemoteDraftStatus draft) {
        DraftProcessMetrics metrics = new DraftProcessMetrics(draft);
        RemoteDraftStatus.Responses answers = draft.responses();
        return List.of(
                metrics.one(
                                "varve_draft_up",
                                "1 if the draft model's process works, 0 if it is missing or"
                                        + " loading.",
                                draft.isReady() ? 1 : 0)
                        .gauge(),
                metrics.one(
                                "varve_draft_bytes",
                                "Memory of the draft model's process in bytes.",
                                draft.bytes())
                        .gauge(),
                metrics.one(
                                "varve_draft_restarts",
                                "Number of times that the draft model's process was lost and"
                                        + " returned.",
                                draft.health().restarts())
                        .counter(),
                metrics.one(
                                "varve_draft_answers",
                                "Steps for which the draft model's process proposed draft tokens.",
                                answers.count())
                        .counter(),
                metrics.one(
                                "varve_draft_answer_seconds",
                                "Time from a request to the draft model's process to its reply.",
                                answers.millis() / MILLIS_PER_SECOND)
                        .counter(),
                metrics.one(
                                "varve_draft_late",
                                "Steps that stopped waiting for the draft model's process.",
                                answers.late())
                        .counter(),
                metrics.bytes(draft),
                metrics.payloads(draft));
    }

    private MetricFamily one(String name, String help, double value) {
        return new MetricFamily(name, help).add(labels, value);
    }

    private MetricSnapshot bytes(RemoteDraftStatus draft) {
        return new MetricFamily(
                        "varve_draft_wire_bytes", "Bytes to and from the draft model's process.")
                .add(labels.add("direction", "sent"), draft.traffic().sentBytes())
                .add(labels.add("direction", "received"), draft.traffic().receivedBytes())
                .counter();
    }

    private MetricSnapshot payloads(RemoteDraftStatus draft) {
        String how = draft.traffic().payloads().name().toLowerCase(Locale.ROOT);
        return new MetricFamily(
                        "varve_draft_wire",
                        "Path of large payloads to the draft model's process: shared memory or the"
                                + " stream.")
                .add(labels.add("payloads", how), 1)
                .info();
    }
}
