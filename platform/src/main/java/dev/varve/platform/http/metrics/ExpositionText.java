package dev.varve.platform.http.metrics;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Metrics in Prometheus' text format, in the order in which they are added; the library would sort
 * them by name. Without times of creation.
 */
final class ExpositionText {
    private static final PrometheusTextFormatWriter WRITER =
            PrometheusTextFormatWriter.builder().setIncludeCreatedTimestamps(false).build();

    private final StringBuilder text = new StringBuilder(16 << 10);

    void add(MetricSnapshot metric) {
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        try {
            WRITER.write(written, MetricSnapshots.of(metric), EscapingScheme.UNDERSCORE_ESCAPING);
        } catch (IOException e) {
            throw new AssertionError("nothing fails in memory", e);
        }
        for (String line : written.toString(StandardCharsets.UTF_8).split("\n")) {
            if (!line.isEmpty()) {
                text.append(line.startsWith("#") ? line : SampleLine.parse(line)).append('\n');
            }
        }
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
