package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Await;
import dev.varve.testkit.MetricsText;
import dev.varve.testkit.OtlpCollector;
import dev.varve.testkit.OtlpSpan;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The assembled server reports metrics, the load in its answers, and traces. */
@Timeout(180)
class MonitoringIT {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";
    private static final String SECRET = "whalesong";
    private static final Pattern SERIES = Pattern.compile("varve_[a-z0-9_]+");
    private static final Pattern DOCUMENTED = Pattern.compile("(?m)^\\| `([a-z0-9_:]+)` \\|");

    /** Prefixes of the metrics of features whose flags this server does not set. */
    private static final List<String> NOT_DONE =
            List.of(
                    "varve_pflash_",
                    "varve_draft_",
                    "varve_replica_",
                    "varve_kvflash_",
                    "varve_prefix_shared_",
                    "varve_upstream_");

    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir static Path folder;

    private static OtlpCollector collector;
    private static Varve.Server server;

    @BeforeAll
    static void start() throws Exception {
        collector = OtlpCollector.start();
        server =
                new Varve(Varve.INSTALLATION, folder)
                        .serve(
                                "--model",
                                Qwen35Model.odd(8).withType(TensorType.Q4_0).write(folder),
                                "--model-name",
                                "odd",
                                "--max-ctx",
                                1024,
                                "--threads",
                                1,
                                "--draft",
                                "ngram",
                                "--target-devices",
                                "cpu:0,cpu:0@process",
                                "--kv-cache-dir",
                                folder.resolve("kept"),
                                "--metrics-aliases",
                                "vllm",
                                "--otlp-endpoint",
                                collector.url());
    }

    @AfterAll
    static void stop() {
        server.close();
        collector.close();
        HTTP.close();
    }

    private static HttpResponse<String> complete(String more, String... headers) throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                        .POST(
                                HttpRequest.BodyPublishers.ofString(
                                        "{\"prompt\": \""
                                                + SECRET
                                                + "\", \"max_tokens\": 8, \"ignore_eos\": true"
                                                + more
                                                + "}"));
        if (headers.length > 0) {
            request.headers(headers);
        }
        HttpResponse<String> answer =
                HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
        assertEquals(200, answer.statusCode(), answer.body());
        return answer;
    }

    private static String metrics(String accept) throws Exception {
        return HTTP.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/metrics"))
                                .header("Accept", accept)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static Set<String> found(Pattern pattern, int group, Path file) throws IOException {
        Set<String> found = new TreeSet<>();
        Matcher matcher = pattern.matcher(Files.readString(file));
        while (matcher.find()) {
            found.add(matcher.group(group));
        }
        return found;
    }

    @Test
    void allMetricsAreDocumentedAndTheDashboardQueriesExistingOnes() throws Exception {
        complete("");
        MetricsText text = MetricsText.parse(metrics("text/plain"));
        MetricsText.parseOpenMetrics(metrics("application/openmetrics-text"));
        Path docs = Varve.INSTALLATION.resolve("docs/metrics.md");
        Set<String> documented = found(DOCUMENTED, 1, docs);

        Set<String> unknown = new TreeSet<>(text.families().keySet());
        unknown.removeAll(documented);
        assertEquals(Set.of(), unknown);

        for (String file : List.of("grafana-dashboard.json", "alerts.yml")) {
            Set<String> asked =
                    found(SERIES, 0, Varve.INSTALLATION.resolve("monitoring").resolve(file));
            asked.removeAll(text.names());
            asked.removeIf(
                    name ->
                            documented.contains(name)
                                    && NOT_DONE.stream().anyMatch(name::startsWith));
            assertEquals(Set.of(), asked, file);
        }
        assertTrue(text.value("varve_generation_tokens_total", "model", "odd") >= 8);
        assertEquals(1, text.samples("vllm:num_requests_running", "model_name", "odd").size());
    }

    @Test
    void requestIsASpanOfTheClientTrace() throws Exception {
        complete("", "traceparent", "00-" + TRACE + "-" + SPAN + "-01", "tracestate", "a=1");
        Await.until(
                "the trace is there",
                () -> collector.spans().stream().anyMatch(span -> span.traceId().equals(TRACE)));

        List<OtlpSpan> spans =
                collector.spans().stream().filter(span -> span.traceId().equals(TRACE)).toList();
        OtlpSpan root = only(spans, SPAN);
        assertEquals("POST /v1/completions", root.name());
        assertEquals("varve", root.resource().get("service.name"));
        assertEquals("a=1", root.traceState());
        assertEquals("odd", root.attributes().get("gen_ai.response.model"));
        List<OtlpSpan> parts = below(spans, root);
        assertEquals(List.of("model", "prepare", "generate"), names(parts));
        OtlpSpan answer = parts.getLast();
        assertEquals(8L, answer.attributes().get("gen_ai.usage.output_tokens"));
        List<OtlpSpan> stages =
                below(spans, answer).stream()
                        .filter(stage -> !stage.name().equals("restore"))
                        .toList();
        assertEquals(List.of("queue", "prefill", "decode"), names(stages));
        List<OtlpSpan> shards = below(spans, stages.getLast());
        assertEquals(List.of("shard", "shard"), names(shards));
        assertEquals("cpu:0@process", shards.getLast().attributes().get("varve.shard.device"));
        assertTrue((long) shards.getLast().attributes().get("varve.shard.forwards") > 0);
        for (OtlpSpan span : spans) {
            assertTrue(span.begin() >= root.begin() && span.end() <= root.end(), span.toString());
        }
        assertFalse(collector.spans().toString().contains(SECRET));
    }

    private static OtlpSpan only(List<OtlpSpan> spans, String parent) {
        List<OtlpSpan> found =
                spans.stream().filter(span -> span.parentId().equals(parent)).toList();
        assertEquals(1, found.size(), spans.toString());
        return found.getFirst();
    }

    private static List<OtlpSpan> below(List<OtlpSpan> spans, OtlpSpan parent) {
        return spans.stream()
                .filter(span -> span.parentId().equals(parent.spanId()))
                .sorted(Comparator.comparingLong(OtlpSpan::begin))
                .toList();
    }

    private static List<String> names(List<OtlpSpan> spans) {
        return spans.stream().map(OtlpSpan::name).toList();
    }

    @Test
    void missingCollectorDelaysNoRequest() throws Exception {
        collector.answer(503);
        try {
            for (int i = 0; i < 3; i++) {
                complete("");
            }
        } finally {
            collector.answer(200);
        }
    }

    @Test
    void loadIsReportedInResponseHeaders() throws Exception {
        for (String more : List.of("", ", \"stream\": true")) {
            HttpResponse<String> answer = complete(more, "endpoint-load-metrics-format", "TEXT");

            String load = answer.headers().firstValue("endpoint-load-metrics").orElseThrow();
            assertTrue(load.matches("TEXT named_metrics\\.kv_cache_usage_perc=[0-9.E-]+,.*"), load);
        }
    }
}
