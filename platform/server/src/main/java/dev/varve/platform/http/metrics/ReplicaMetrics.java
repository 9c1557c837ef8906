package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.ReplicaStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Metrics of each replica of a model; the engine's metrics are their sums. */
final class ReplicaMetrics {
    private ReplicaMetrics() {}

    /** Returns the metrics of all replicas; none for a single engine. */
    static List<MetricSnapshot> of(List<ReplicaStatus> replicas) {
        if (replicas.isEmpty()) {
            return List.of();
        }
        return List.of(
                each(
                                "varve_replica_up",
                                "1 if the replica accepts requests, 0 if it lacks a shard, is"
                                        + " reloading or was drained.",
                                replicas,
                                replica -> replica.isReady() ? 1 : 0)
                        .gauge(),
                each(
                                "varve_replica_drained",
                                "1 if an operator drains the replica or has drained it.",
                                replicas,
                                replica -> replica.isDrained() ? 1 : 0)
                        .gauge(),
                each(
                                "varve_replica_requests_waiting",
                                "Requests in the queue of a replica.",
                                replicas,
                                replica -> replica.load().waiting())
                        .gauge(),
                each(
                                "varve_replica_requests_running",
                                "Requests of a replica in prefill or decode.",
                                replicas,
                                replica -> replica.load().running())
                        .gauge(),
                each(
                                "varve_replica_prompt_tokens",
                                "Prompt tokens of requests that a replica admitted.",
                                replicas,
                                replica -> replica.tokens().prompt())
                        .counter(),
                each(
                                "varve_replica_cached_prompt_tokens",
                                "Cached tokens of requests that a replica admitted.",
                                replicas,
                                replica -> replica.tokens().cachedPrompt())
                        .counter(),
                each(
                                "varve_replica_moved_requests",
                                "Requests of a replica that continued on another one.",
                                replicas,
                                replica -> replica.moves().movedRequests())
                        .counter(),
                each(
                                "varve_replica_restarts",
                                "Number of times that a replica was loaded again.",
                                replicas,
                                replica -> replica.moves().restarts())
                        .counter());
    }

    private static MetricFamily each(
            String name,
            String help,
            List<ReplicaStatus> replicas,
            ToDoubleFunction<ReplicaStatus> value) {
        return MetricFamily.of(
                name,
                help,
                replicas,
                replica -> Labels.of("replica", Integer.toString(replica.id())),
                value);
    }
}
