package dev.varve.platform.http.metrics;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The metrics of several models: those of each engine, labelled with the model's id. */
final class PerModelMetrics {
    private static final String LABEL = "model";

    private PerModelMetrics() {}

    static List<MetricSnapshot> of(List<ModelSample> models) {
        List<MetricSnapshot> metrics = new ArrayList<>();
        if (models.isEmpty()) {
            return metrics;
        }
        metrics.add(states(models));
        metrics.add(
                family(
                                "varve_model_loaded",
                                "1 if the model is in memory, else 0.",
                                models,
                                model -> model.status().isPresent() ? 1 : 0)
                        .gauge());
        metrics.add(
                family(
                                "varve_model_requests",
                                "Requests for the model.",
                                models,
                                model -> model.counts().requests())
                        .counter());
        metrics.add(
                family(
                                "varve_model_loads",
                                "Number of times that the model was loaded.",
                                models,
                                model -> model.counts().loads())
                        .counter());
        metrics.add(
                family(
                                "varve_model_unloads",
                                "Number of times that the model was unloaded.",
                                models,
                                model -> model.counts().unloads())
                        .counter());
        metrics.addAll(engines(models));
        metrics.addAll(ImageMetrics.of(models));
        return metrics;
    }

    /** Returns one sample for each model and state: 1 for the current state, else 0. */
    private static MetricSnapshot states(List<ModelSample> models) {
        MetricFamily family =
                new MetricFamily(
                        "varve_model_state",
                        "1 for the current state of the model: unloaded, loading, ready or"
                                + " failed.");
        for (ModelSample model : models) {
            for (ModelSample.State state : ModelSample.State.values()) {
                family.add(
                        Labels.of(
                                LABEL, model.id(), "state", state.name().toLowerCase(Locale.ROOT)),
                        model.state() == state ? 1 : 0);
            }
        }
        return family.gauge();
    }

    private static MetricFamily family(
            String name,
            String help,
            List<ModelSample> models,
            ToDoubleFunction<ModelSample> value) {
        return MetricFamily.of(name, help, models, model -> Labels.of(LABEL, model.id()), value);
    }

    private static List<MetricSnapshot> engines(List<ModelSample> models) {
        Map<String, MergedMetric> metrics = new LinkedHashMap<>();
        for (ModelSample model : models) {
            model.status()
                    .map(EngineMetrics::of)
                    .orElse(List.of())
                    .forEach(
                            metric ->
                                    metrics.computeIfAbsent(
                                                    metric.getMetadata().getName(),
                                                    name -> new MergedMetric(metric.getMetadata()))
                                            .add(metric, Labels.of(LABEL, model.id())));
        }
        return metrics.values().stream().map(MergedMetric::snapshot).toList();
    }
}
