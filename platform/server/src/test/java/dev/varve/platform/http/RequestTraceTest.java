package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.api.telemetry.FinishedSpan;
import dev.varve.api.telemetry.FinishedTrace;
import dev.varve.api.telemetry.TraceExporter;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.testkit.Await;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Reports to operators on a request: its trace, its labels, and the load. */
@Timeout(60)
class RequestTraceTest {
    private static final String SECRET = "whalesong";

    private final List<FinishedTrace> traces = new CopyOnWriteArrayList<>();
    private final ScriptedEngine engine =
            new ScriptedEngine()
                    .says(1, 2, 3)
                    .hasShards(
                            new ShardStatus(
                                    "cpu:0",
                                    new LayerRange(0, 3),
                                    new ShardMemory(1, 2, 3, 4),
                                    ShardHealth.ready(),
                                    new ShardStatus.ForwardTotals(1, 2, 3, 4, Optional.empty())));

    private final Tracing tracing =
            Tracing.to(
                    new TraceExporter() {
                        @Override
                        public void export(List<FinishedTrace> some) {
                            traces.addAll(some);
                        }

                        @Override
                        public void close() {
                            // Nothing is open.
                        }
                    },
                    1);

    @AfterEach
    void close() {
        tracing.close();
        engine.close();
    }

    private TestServer server() {
        return TestServer.of(
                engine,
                HttpOptions.loopback().withMonitoring(new MonitoringOptions(true, tracing)));
    }

    private static List<String> names(FinishedSpan span) {
        return span.children().stream().map(FinishedSpan::name).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void traceHasTheStagesOfItsRequestWithoutItsText(boolean stream) throws Exception {
        try (TestServer server = server()) {
            assertEquals(
                    200,
                    server.post(
                                    "/v1/chat/completions",
                                    "{\"messages\": [{\"role\": \"user\", \"content\": \""
                                            + SECRET
                                            + "\"}], \"stream\": "
                                            + stream
                                            + "}")
                            .statusCode());
            server.get("/health");
            Await.until("the trace is there", () -> !traces.isEmpty());
        }

        FinishedSpan root = traces.getFirst().root();
        assertEquals("POST /v1/chat/completions", root.name());
        assertEquals(FinishedSpan.Kind.SERVER, root.kind());
        assertEquals("random", root.attributes().get("gen_ai.response.model"));
        assertEquals(200L, root.attributes().get("http.response.status_code"));
        assertEquals(List.of("model", "prepare", "generate"), names(root));
        FinishedSpan answer = root.children().getLast();
        assertEquals(List.of("queue", "prefill", "decode"), names(answer));
        assertEquals(3L, answer.attributes().get("gen_ai.usage.output_tokens"));
        for (FinishedSpan stage : answer.children().subList(1, 3)) {
            assertEquals(List.of("shard"), names(stage));
            assertEquals(
                    "cpu:0", stage.children().getFirst().attributes().get("varve.shard.device"));
        }
        assertFalse(traces.toString().contains(SECRET));
        assertFalse(traces.toString().contains("varve.cut_off"), traces.toString());
        assertEquals(1, traces.size());
    }

    @Test
    void modelNamesInMetricsAreThoseOfTheServer() throws Exception {
        try (TestServer server = server()) {
            server.post("/v1/completions", "{\"prompt\": \"a\"}");
            server.post("/tokenize", "{\"content\": \"a\", \"model\": \"" + SECRET + "\"}");
            server.get("/v1/models/" + SECRET);
            String text = server.get("/metrics").body();

            MetricsText metrics = MetricsText.parse(text);
            assertFalse(text.contains(SECRET), text);
            assertEquals(
                    1,
                    metrics.value(
                            "varve_requests_total",
                            "route",
                            "/v1/completions",
                            "code",
                            "200",
                            "model",
                            "random"));
            assertEquals(
                    1, metrics.value("varve_time_to_first_token_seconds_count", "model", "random"));
            assertEquals(2, metrics.value("varve_inter_token_latency_seconds_count"));
            assertEquals(1, metrics.value("varve_prefill_time_seconds_count"));
            assertEquals(1, metrics.value("varve_decode_time_seconds_count"));
            assertEquals(1, metrics.value("vllm:cache_config_info", "block_size", "256"), text);
            assertEquals(
                    1, metrics.samples("vllm:num_requests_waiting", "model_name", "random").size());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadIsReportedInTheRequestedFormat(boolean stream) throws Exception {
        String body = "{\"prompt\": \"a\", \"stream\": " + stream + "}";
        try (TestServer server = server()) {
            for (String form : List.of("TEXT", "JSON", "BIN")) {
                assertTrue(
                        server.post("/v1/completions", body, "endpoint-load-metrics-format", form)
                                .headers()
                                .firstValue("endpoint-load-metrics")
                                .orElseThrow()
                                .startsWith(form + " "));
            }
            for (String[] headers :
                    List.of(new String[0], new String[] {"endpoint-load-metrics-format", "XML"})) {
                assertEquals(
                        Optional.empty(),
                        server.post("/v1/completions", body, headers)
                                .headers()
                                .firstValue("endpoint-load-metrics"));
            }
        }
    }

    @Test
    void openMetricsIsServedOnRequest() throws Exception {
        try (TestServer server = server()) {
            // Without this request, only the second answer would report a request.
            server.get("/health");
            HttpResponse<String> plain = server.get("/metrics");
            HttpResponse<String> open =
                    server.get(
                            "/metrics",
                            "Accept",
                            "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;q=0.3");

            assertEquals(
                    "text/plain; version=0.0.4; charset=utf-8",
                    plain.headers().firstValue("Content-Type").orElseThrow());
            assertEquals(
                    "application/openmetrics-text; version=1.0.0; charset=utf-8",
                    open.headers().firstValue("Content-Type").orElseThrow());
            assertTrue(MetricsText.parse(plain.body()).families().size() > 30);
            assertEquals(
                    MetricsText.parse(plain.body()).names(),
                    MetricsText.parseOpenMetrics(open.body()).names());
        }
    }
}
