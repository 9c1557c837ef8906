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
 * All metrics in the format that is sent: Prometheus' text format 0.0.4, or OpenMetrics 1.0 if the
 * client accepts it. The library writes both, sorted by name.
 *
 * @param contentType content type of the bytes
 */
public record EncodedMetrics(String contentType, byte[] bytes) {
    private static final ExpositionFormats FORMATS =
            ExpositionFormats.init(PrometheusProperties.builder().build());
    private static final int USUAL_BYTES = 64 << 10;

    /** Writes metrics; {@code accept} is the value of the {@code Accept} header, if present. */
    static EncodedMetrics of(List<MetricSnapshot> metrics, Optional<String> accept) {
        ExpositionFormatWriter writer = writer(accept);
        FutureTask<byte[]> written = new FutureTask<>(() -> written(writer, metrics));
        // In a virtual thread the library's write buffer begins small and grows by one character at
        // a time, which takes several times as long as all other work.
        Thread.ofPlatform().daemon().name("varve-metrics").start(written);
        try {
            return new EncodedMetrics(writer.getContentType(), written.get());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the thread was interrupted while it wrote metrics", e);
        } catch (ExecutionException e) {
            throw new AssertionError("writing to memory cannot fail", e);
        }
    }

    /**
     * Chooses the format. Not left to the library: a client that prefers protobuf would get a
     * writer that does not exist.
     */
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
