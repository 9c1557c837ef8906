package dev.varve.platform.http.metrics;

import dev.varve.platform.vision.ImageCounts;

import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Metrics of the images that models read. */
final class ImageMetrics {
    private static final double NANOS_PER_SECOND = 1e9;

    private final List<ModelSample> models;

    private ImageMetrics(List<ModelSample> models) {
        this.models = models;
    }

    /** Returns the metrics of the models with image input; none without such a model. */
    static List<MetricSnapshot> of(List<ModelSample> all) {
        List<ModelSample> models =
                all.stream().filter(model -> model.images().isPresent()).toList();
        return models.isEmpty() ? List.of() : new ImageMetrics(models).all();
    }

    private List<MetricSnapshot> all() {
        List<MetricSnapshot> metrics = new ArrayList<>();
        metrics.add(
                family("varve_images_encoded", "Encoded images.", ImageCounts::encoded).counter());
        metrics.add(
                family(
                                "varve_image_tokens_encoded",
                                "Tokens of encoded images.",
                                ImageCounts::tokens)
                        .counter());
        metrics.add(
                family(
                                "varve_image_encode_seconds",
                                "Time of the image encoder, with waits for its device.",
                                counts -> counts.encodeNanos() / NANOS_PER_SECOND)
                        .counter());
        metrics.add(
                family(
                                "varve_image_cache_hits",
                                "Images that were encoded before.",
                                ImageCounts::cacheHits)
                        .counter());
        metrics.add(
                family(
                                "varve_image_cache_bytes",
                                "Bytes of encoded images in host memory.",
                                ImageCounts::cachedBytes)
                        .gauge());
        return metrics;
    }

    private MetricFamily family(String name, String help, ToDoubleFunction<ImageCounts> value) {
        return MetricFamily.of(
                name,
                help,
                models,
                model -> Labels.of("model", model.id()),
                model -> value.applyAsDouble(model.images().orElseThrow()));
    }
}
