package dev.varve.platform.http.metrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.config.PrometheusProperties;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * All metrics as they are sent: in Prometheus' text format 0.0.4, or in OpenMetrics 1.0 to those
 * who ask for it. The library writes both, sorted by name.
 *
 * @param contentType of the bytes
 */
public record Exposition(String contentType, byte[] bytes) {
    private static final ExpositionFormats FORMATS =
            ExpositionFormats.init(PrometheusProperties.builder().build());
    private static final int USUAL_BYTES = 64 << 10;

    /** {@code accept}: the header of that name, if there is one. */
    static Exposition of(List<MetricSnapshot> metrics, Optional<String> accept) {
        ExpositionFormatWriter writer = writer(accept);
        FutureTask<byte[]> written = new FutureTask<>(() -> written(writer, metrics));
        // In a virtual thread the buffer that the library writes through begins small and grows by
        // a character at a time, which takes several times as long as all the rest.
        Thread.ofPlatform().daemon().name("varve-metrics").start(written);
        try {
            return new Exposition(writer.getContentType(), written.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while metrics are written", e);
        } catch (ExecutionException e) {
            throw new AssertionError("nothing fails in memory", e);
        }
    }

    /** Never the library's choice: who prefers protobuf would get a writer that is not there. */
    private static ExpositionFormatWriter writer(Optional<String> accept) {
        ExpositionFormatWriter openMetrics = FORMATS.getOpenMetricsTextFormatWriter();
        return accept.filter(openMetrics::accepts).isPresent()
                ? openMetrics
                : FORMATS.getPrometheusTextFormatWriter();
    }

    private static byte[] written(ExpositionFormatWriter writer, List<MetricSnapshot> metrics)
            throws IOException {
        ByteArrayOutputStream written = new ByteArrayOutputStream(USUAL_BYTES);
        writer.write(written, new MetricSnapshots(metrics), EscapingScheme.UNDERSCORE_ESCAPING);
        return written.toByteArray();
    }
}
