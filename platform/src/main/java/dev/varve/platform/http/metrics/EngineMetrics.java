package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.EngineStatus;

import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;

/** Gauges and counters of the engine, from one status of it. */
final class EngineMetrics {
    private EngineMetrics() {}

    static List<MetricSnapshot> of(EngineStatus engine) {
        List<MetricSnapshot> metrics = new ArrayList<>();
        metrics.addAll(
                List.of(
                        gauge(
                                "varve_requests_waiting",
                                "Requests in the queue.",
                                engine.load().waiting()),
                        gauge(
                                "varve_requests_running",
                                "Requests in prefill or decode.",
                                engine.load().running()),
                        gauge(
                                "varve_kv_cache_usage_ratio",
                                "Share of the KV pool that running sequences hold.",
                                usage(engine.slots().running(), engine.slots().total())),
                        gauge(
                                "varve_kv_cache_resident_tokens",
                                "Token slots that finished sequences hold.",
                                engine.slots().resident()),
                        gauge(
                                "varve_weight_bytes",
                                "Bytes of weights.",
                                engine.memory().allWeights()),
                        gauge(
                                "varve_kv_bytes",
                                "Bytes of KV pools and recurrent states.",
                                engine.memory().kv()),
                        gauge(
                                "varve_compute_bytes",
                                "Bytes of compute buffers.",
                                engine.memory().compute())));
        metrics.addAll(
                List.of(
                        counter(
                                "varve_prompt_tokens",
                                "Prompt tokens taken in.",
                                engine.counts().tokens().prompt()),
                        counter(
                                "varve_cached_prompt_tokens",
                                "Prompt tokens that needed no prefill.",
                                engine.counts().tokens().cachedPrompt()),
                        counter(
                                "varve_generation_tokens",
                                "Tokens generated.",
                                engine.counts().tokens().generated()),
                        counter(
                                "varve_preemptions",
                                "Sequences put back to the queue for want of room.",
                                engine.counts().preemptions()),
                        counter(
                                "varve_replays",
                                "Sequences computed again because a shard was lost.",
                                engine.counts().replays()),
                        counter("varve_steps", "Forward passes.", engine.counts().steps())));
        metrics.addAll(SpeculationMetrics.of(engine.speculation()));
        engine.draft().ifPresent(draft -> metrics.addAll(DraftMetrics.of(draft)));
        engine.paging().ifPresent(paging -> metrics.addAll(PagingMetrics.of(paging)));
        metrics.addAll(CacheMetrics.of(engine.cache()));
        metrics.addAll(ShardMetrics.of(engine.shards()));
        return metrics;
    }

    private static double usage(long used, long total) {
        return total == 0 ? 0 : (double) used / total;
    }

    private static MetricSnapshot gauge(String name, String help, double value) {
        return Family.single(name, help, value).gauge();
    }

    private static MetricSnapshot counter(String name, String help, double value) {
        return Family.single(name, help, value).counter();
    }
}
