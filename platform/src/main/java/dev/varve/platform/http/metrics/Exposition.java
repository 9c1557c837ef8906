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
        ExpositionFormatWriter writer = FORMATS.findWriter(accept.orElse(null));
        ByteArrayOutputStream written = new ByteArrayOutputStream(USUAL_BYTES);
        try {
            writer.write(written, new MetricSnapshots(metrics), EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (IOException e) {
            throw new AssertionError("nothing fails in memory", e);
        }
        return new Exposition(writer.getContentType(), written.toByteArray());
    }
}
