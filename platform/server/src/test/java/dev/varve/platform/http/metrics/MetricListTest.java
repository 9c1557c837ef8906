package dev.varve.platform.http.metrics;

import dev.varve.testkit.GeneratedFile;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Metrics are public: a checked-in list shows each change of names, types and labels. */
class MetricListTest {
    private static final GeneratedFile LIST =
            GeneratedFile.of(
                    "platform/server/src/test/resources/dev/varve/platform/http/metrics.txt");

    @Test
    void serverWithAllFeaturesHasTheseMetrics() {
        EncodedMetrics exposition =
                FullServer.metrics()
                        .encode(
                                FullServer.models(),
                                Optional.of("application/openmetrics-text;version=1.0.0"));

        LIST.check(
                MetricsText.parseOpenMetrics(new String(exposition.bytes(), StandardCharsets.UTF_8))
                        .families()
                        .values()
                        .stream()
                        .map(MetricListTest::line)
                        .sorted()
                        .collect(Collectors.joining()));
    }

    /** A family with the labels of all its samples. */
    private static String line(MetricsText.Family family) {
        Set<String> labels =
                family.samples().stream()
                        .flatMap(sample -> sample.labels().keySet().stream())
                        .collect(Collectors.toCollection(TreeSet::new));
        return family.name() + " " + family.type() + " " + labels + "\n";
    }
}
