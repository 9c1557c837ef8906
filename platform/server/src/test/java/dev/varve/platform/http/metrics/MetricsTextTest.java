package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** All of {@code /metrics}, read strictly, and what is written of it elsewhere. */
class MetricsTextTest {
    private static final Path ROOT = Path.of(System.getProperty("varve.test.root", "."));
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `([a-z0-9_:]+)` \\| ([^|]*)\\|");
    private static final Pattern LABEL = Pattern.compile("`([a-z_]+)`");

    private static String text(Optional<String> accept) {
        return new String(
                FullServer.metrics().encode(FullServer.models(), accept).bytes(),
                StandardCharsets.UTF_8);
    }

    private static MetricsText all() {
        return MetricsText.parse(text(Optional.empty()));
    }

    @Test
    void numbersAndLabelsAreFormattedCorrectly() {
        MetricsText all = all();

        assertEquals(
                2,
                all.value(
                        "varve_requests_total",
                        "route",
                        "/v1/completions",
                        "code",
                        "200",
                        "finish_reason",
                        "stop",
                        "model",
                        "one"));
        assertEquals(1, all.value("varve_requests_total", "route", "/health", "model", ""));
        assertEquals(0.25, all.value("varve_kv_cache_usage_ratio", "model", "one"));
        assertEquals(
                1,
                all.value("varve_cache_config_info", "block_size", "256", "num_gpu_blocks", "64"));
        assertEquals(23, all.value("varve_prefix_cache_queries_total"));
        assertEquals(1, all.value("varve_model_state", "model", "one", "state", "ready"));
        assertEquals(1, all.value("varve_model_state", "model", "two", "state", "unloaded"));
        assertEquals(1, all.value("varve_model_state", "model", "two"));
        assertEquals(1, all.value("varve_cancelled_total", "stage", "decode", "model", "one"));
        assertEquals(9, all.value("varve_token_masks_total"));
        assertEquals(88, all.value("varve_device_memory_bytes", "device", FullServer.STRANGE));
        assertEquals(2, all.value("vllm:num_requests_waiting", "model_name", "one"));
        assertEquals(0.25, all.value("vllm:kv_cache_usage_perc", "model_name", "one"));
    }

    @Test
    void histogramBucketsAreCumulative() {
        MetricsText all = all();

        String first = "varve_time_to_first_token_seconds";
        assertEquals(0, all.value(first + "_bucket", "le", "0.001"));
        assertEquals(1, all.value(first + "_bucket", "le", "0.0025"));
        assertEquals(2, all.value(first + "_bucket", "le", "1.0"));
        assertEquals(2, all.value(first + "_bucket", "le", "640.0"));
        assertEquals(3, all.value(first + "_bucket", "le", "+Inf"));
        assertEquals(700.7021, all.value(first + "_sum"), 1e-9);
        assertEquals(1, all.value("varve_inter_token_latency_seconds_bucket", "le", "0.001"));
        assertEquals(1, all.value("varve_pflash_score_time_seconds_count"));
    }

    @Test
    void openMetricsHasTheSameSamples() {
        String text = text(Optional.of("application/openmetrics-text;version=1.0.0"));

        assertEquals(all().lines(), MetricsText.parseOpenMetrics(text).lines());
    }

    /** As scrapers write it that would rather have protobuf, which the server does not speak. */
    @ParameterizedTest
    @CsvSource({
        "'application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5',"
                + " application/openmetrics-text",
        "'text/plain;version=0.0.4;q=0.5,*/*;q=0.1', text/plain"
    })
    void clientThatPrefersProtobufGetsAnAcceptedTextFormat(String rest, String type) {
        String accept =
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily"
                        + ";encoding=delimited;q=0.7,"
                        + rest;

        EncodedMetrics exposition =
                FullServer.metrics().encode(FullServer.models(), Optional.of(accept));

        assertEquals(type, exposition.contentType().split(";")[0]);
        assertTrue(exposition.bytes().length > 0);
    }

    @Test
    void withoutAModelOnlyServerMetricsExist() {
        Metrics metrics = new Metrics();
        metrics.countRequest("/health", 503, "", "");

        EncodedMetrics exposition = metrics.encode(List.of(), Optional.empty());

        assertEquals(
                Set.of("varve_requests_total", "varve_client_disconnects_total"),
                MetricsText.parse(new String(exposition.bytes(), StandardCharsets.UTF_8)).names());
    }

    /** The documentation, both ways, with the labels. */
    @Test
    void metricsAndTheirDocumentationAgree() throws IOException {
        MetricsText all = all();
        Set<String> documented = new TreeSet<>();
        List<String> wrong = new ArrayList<>();
        String text = Files.readString(ROOT.resolve("docs/metrics.md"));
        Matcher row = ROW.matcher(text);
        while (row.find()) {
            String name = row.group(1);
            documented.add(name);
            Set<String> labels = labels(row.group(2));
            Optional.ofNullable(all.families().get(name)).stream()
                    .flatMap(family -> family.samples().stream())
                    .map(sample -> withoutBound(sample.labels().keySet()))
                    .filter(found -> !found.equals(labels))
                    .forEach(found -> wrong.add(name + ": " + found + ", not " + labels));
        }

        assertEquals(new TreeSet<>(all.families().keySet()), documented);
        assertEquals(List.of(), wrong);
    }

    private static Set<String> withoutBound(Set<String> labels) {
        Set<String> rest = new TreeSet<>(labels);
        rest.remove("le");
        return rest;
    }

    private static Set<String> labels(String cell) {
        Set<String> labels = new TreeSet<>();
        if (cell.contains("shard labels")) {
            labels.addAll(List.of("shard", "device", "first_layer", "end_layer", "model"));
        }
        Matcher label = LABEL.matcher(cell);
        while (label.find()) {
            labels.add(label.group(1));
        }
        return labels;
    }
}
