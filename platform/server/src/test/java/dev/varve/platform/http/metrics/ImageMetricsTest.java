package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.vision.ImageCounts;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

class ImageMetricsTest {
    private static ModelSample model(String id, Optional<ImageCounts> images) {
        return new ModelSample(
                id,
                ModelSample.State.READY,
                Optional.empty(),
                new ModelSample.Counts(0, 1, 0),
                images);
    }

    @Test
    void modelsThatReadImagesReportThem() {
        List<ModelSample> models =
                List.of(
                        model("text", Optional.empty()),
                        model(
                                "eyes",
                                Optional.of(new ImageCounts(3, 768, 4_500_000_000L, 2, 12_345))));

        EncodedMetrics exposition = EncodedMetrics.of(ImageMetrics.of(models), Optional.empty());

        assertEquals(
                List.of(
                        "varve_image_cache_bytes{model=\"eyes\"} 12345",
                        "varve_image_cache_hits_total{model=\"eyes\"} 2",
                        "varve_image_encode_seconds_total{model=\"eyes\"} 4.5",
                        "varve_image_tokens_encoded_total{model=\"eyes\"} 768",
                        "varve_images_encoded_total{model=\"eyes\"} 3"),
                MetricsText.parse(new String(exposition.bytes(), StandardCharsets.UTF_8)).lines());
    }

    @Test
    void modelsThatReadTextOnlyReportNone() {
        assertEquals(List.of(), ImageMetrics.of(List.of(model("text", Optional.empty()))));
    }
}
