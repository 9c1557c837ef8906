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

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
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
    private static final String KEY = "sk-of-monitoring";
    private static final JsonMapper JSON = JsonMapper.shared();
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

    private static Path log;
    private static OtlpCollector collector;
    private static Varve.Server server;

    @BeforeAll
    static void start() throws Exception {
        collector = OtlpCollector.start();
        log = folder.resolve("varve.log");
        server =
                new Varve(Varve.INSTALLATION, folder)
                        .with("VARVE_API_KEY", KEY)
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
                                collector.url(),
                                "--log-format",
                                "json",
                                "--log-file",
                                log);
    }

    @AfterAll
    static void stop() {
        server.close();
        collector.close();
        HTTP.close();
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(server.url() + path))
                .header("Authorization", "Bearer " + KEY);
    }

    private static HttpResponse<String> complete(String more, String... headers) throws Exception {
        HttpRequest.Builder request =
                request("/v1/completions")
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
                        request("/metrics").header("Accept", accept).build(),
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

    /** Log lines as JSON objects; the server writes each at once. */
    private static List<JsonNode> logged() {
        try {
            return Files.readAllLines(log).stream().map(JSON::readTree).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for the log line of a request: a response may arrive before it. */
    private static JsonNode loggedRequest(String id) {
        return Await.value(
                        "the line of " + id,
                        () ->
                                logged().stream()
                                        .filter(
                                                line ->
                                                        line.path("request_id")
                                                                .asString("")
                                                                .equals(id))
                                        .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static String id(HttpResponse<?> response) {
        return response.headers().firstValue("x-request-id").orElseThrow();
    }

    @Test
    void logHasAJsonLineOfEachRequestWithoutPromptOrKey() throws Exception {
        JsonNode stream = loggedRequest(id(complete(", \"stream\": true", "X-Request-Id", "s-1")));
        HttpResponse<String> refused =
                HTTP.send(
                        request("/v1/completions")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"prompt\": \"" + SECRET + "\", \"n\": \"x\"}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        HttpResponse<String> keyless =
                HTTP.send(
                        HttpRequest.newBuilder(URI.create(server.url() + "/v1/models"))
                                .header("Authorization", "Bearer " + KEY + "-of-another")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        HttpResponse<String> unknown =
                HTTP.send(
                        request("/v1/nothing?secret=" + SECRET).build(),
                        HttpResponse.BodyHandlers.ofString());
        HttpResponse<InputStream> cancelled =
                HTTP.send(
                        request("/v1/completions")
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"prompt\": \""
                                                        + SECRET
                                                        + "\", \"stream\": true, \"max_tokens\":"
                                                        + " 900, \"ignore_eos\": true}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofInputStream());
        cancelled.body().read();
        cancelled.body().close();

        assertEquals("s-1", stream.path("request_id").asString());
        assertEquals("POST /v1/completions 200", stream.path("message").asString());
        assertEquals("odd", stream.path("model").asString());
        assertEquals("127.0.0.1", stream.path("client").asString());
        assertTrue(stream.path("prompt_tokens").asInt() > 0, stream.toString());
        assertEquals(8, stream.path("completion_tokens").asInt(), stream.toString());
        assertEquals("length", stream.path("finish_reason").asString());
        assertTrue(
                stream.path("total_ms").asDouble() >= stream.path("first_token_ms").asDouble(),
                stream.toString());
        assertError(400, "/v1/completions", "invalid_request_error", refused);
        assertError(401, "/v1/models", "authentication_error", keyless);
        assertError(404, "other", "invalid_request_error", unknown);
        assertEquals("disconnect", loggedRequest(id(cancelled)).path("finish_reason").asString());
        for (JsonNode line : logged()) {
            OffsetDateTime.parse(line.path("time").asString());
            assertTrue(line.path("level").isString() && line.path("message").isString());
            assertFalse(line.toString().contains(SECRET) || line.toString().contains(KEY));
        }
        assertTrue(logged().stream().anyMatch(line -> line.has("shard")), "a line of the shard");
        assertTrue(server.err().lines().allMatch(line -> line.startsWith("varve: ")), server.err());
    }

    private static void assertError(
            int status, String route, String type, HttpResponse<String> response) {
        assertEquals(status, response.statusCode(), response.body());
        JsonNode line = loggedRequest(id(response));
        assertEquals(status, line.path("status").asInt(), line.toString());
        assertEquals(route, line.path("route").asString(), line.toString());
        assertEquals(type, line.path("error_type").asString(), line.toString());
        assertEquals(
                JSON.readTree(response.body()).at("/error/message").asString(),
                line.path("error").asString(),
                line.toString());
    }
}
