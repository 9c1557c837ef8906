package dev.varve.platform.http.metrics;

import dev.varve.platform.engine.EngineStatus;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The gauges by which gateways route, under vLLM's names. */
final class VllmMetrics {
    private static final String LABEL = "model_name";

    /** A loaded model. */
    private record Loaded(String id, EngineStatus engine) {}

    private VllmMetrics() {}

    static List<MetricSnapshot> of(List<ModelSample> models) {
        List<Loaded> loaded = new ArrayList<>();
        models.forEach(
                model ->
                        model.status()
                                .ifPresent(engine -> loaded.add(new Loaded(model.id(), engine))));
        if (loaded.isEmpty()) {
            return List.of();
        }
        MetricFamily config = new MetricFamily("vllm:cache_config", "Blocks of the KV pool.");
        loaded.forEach(
                each -> config.add(EngineMetrics.blocks(each.engine()).add(LABEL, each.id()), 1));
        return List.of(
                gauge(
                        "vllm:num_requests_waiting",
                        "Requests in the queue.",
                        loaded,
                        engine -> engine.load().waiting()),
                gauge(
                        "vllm:num_requests_running",
                        "Requests in prefill or decode.",
                        loaded,
                        engine -> engine.load().running()),
                gauge(
                        "vllm:kv_cache_usage_perc",
                        "Share of the KV pool that running sequences hold, 0 to 1.",
                        loaded,
                        EngineMetrics::kvUsage),
                config.info());
    }

    private static MetricSnapshot gauge(
            String name, String help, List<Loaded> models, ToDoubleFunction<EngineStatus> value) {
        return MetricFamily.of(
                        name,
                        help,
                        models,
                        each -> Labels.of(LABEL, each.id()),
                        each -> value.applyAsDouble(each.engine()))
                .gauge();
    }
}
