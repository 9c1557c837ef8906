package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.testkit.MetricsText;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reports to clients on the shards, and on a missing shard. */
@Timeout(60)
class ShardVisibilityTest {
    private static final String STRANGE_DEVICE = "cpu:0@unix:/run/a\"b\\c";

    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    private static ShardStatus shard(ShardHealth health) {
        return new ShardStatus(
                STRANGE_DEVICE,
                new LayerRange(3, 7),
                new ShardMemory(11, 22, 33, 44),
                health,
                new ShardStatus.ForwardTotals(
                        5,
                        60,
                        1500,
                        250,
                        Optional.of(
                                new RemoteConnectionTraffic(
                                        700, 800, RemoteConnectionTraffic.PayloadPath.SHARED))));
    }

    private static ShardHealth gone(ShardHealth.State state) {
        return new ShardHealth(
                state,
                Optional.of("killed by signal 9"),
                2,
                Optional.of(new ShardHealth.Recovery(300, 1000, 4)));
    }

    @Test
    void healthIsOkWhileAllShardsAreReady() throws Exception {
        engine.hasShards(shard(ShardHealth.ready()));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> health = server.get("/health");

            assertEquals(200, health.statusCode());
            assertEquals("{\"status\":\"ok\"}", health.body());
        }
    }

    @Test
    void repeatedFailuresDegradeHealthWithStatusOk() throws Exception {
        engine.failures(new FailureCounter.Report(3, 0, Optional.of("3 failures; the latest")));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> health = server.get("/health");

            assertEquals(200, health.statusCode());
            assertEquals(
                    "{\"status\":\"degraded\",\"reason\":\"3 failures; the latest\"}",
                    health.body());
        }
    }

    @Test
    void healthReportsTheReasonOfAFailedEngine() throws Exception {
        engine.breaks(new VarveException(VarveException.Kind.UNAVAILABLE, "the device is lost"));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> health = server.get("/health");

            assertEquals(503, health.statusCode());
            assertEquals("failed", TestServer.json(health).get("status").stringValue());
            assertEquals("the device is lost", TestServer.json(health).get("reason").stringValue());
        }
    }

    @Test
    void engineFailureNamesSettingsToo() throws Exception {
        engine.breaks(
                new VarveException(VarveException.Kind.UNAVAILABLE, Setting.HOST + ": is gone"));
        HttpOptions options = HttpOptions.loopback().withNames(setting -> "--" + setting.id());
        try (TestServer server = TestServer.of(engine, options)) {
            JsonNode health = TestServer.json(server.get("/health"));

            assertEquals("--host: is gone", health.get("reason").stringValue());
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ShardHealth.State.class,
            names = {"MISSING", "LOADING"})
    void healthNamesAShardThatCannotCompute(ShardHealth.State state) throws Exception {
        engine.hasShards(shard(ShardHealth.ready()), shard(gone(state)));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> health = server.get("/health");

            assertEquals(503, health.statusCode());
            JsonNode body = TestServer.json(health);
            assertEquals("degraded", body.get("status").stringValue());
            assertEquals(1, body.get("missing_shards").size());
            JsonNode missing = body.at("/missing_shards/0");
            assertEquals(STRANGE_DEVICE, missing.get("device").stringValue());
            assertEquals("[3,7]", missing.get("layers").toString());
            assertEquals(
                    state.name().toLowerCase(java.util.Locale.ROOT),
                    missing.get("state").stringValue());
            assertEquals("killed by signal 9", missing.get("reason").stringValue());
            assertEquals(2, missing.get("restarts").intValue());
            assertEquals(300, missing.get("loaded_bytes").intValue());
            assertEquals(1000, missing.get("total_bytes").intValue());
        }
    }

    @Test
    void reasonsNameSettingsAsFlags() throws Exception {
        String reason = "it searches " + Setting.MODEL + " [] and " + Setting.MODELS + " []";
        engine.hasShards(
                shard(
                        new ShardHealth(
                                ShardHealth.State.MISSING,
                                Optional.of(reason),
                                0,
                                Optional.empty())));
        HttpOptions options = HttpOptions.loopback().withNames(setting -> "--" + setting.id());
        try (TestServer server = TestServer.of(engine, options)) {
            String missing = server.get("/health").body();
            String shards = server.get("/props").body();

            String named = "\"reason\":\"it searches --model [] and --models []\"";
            assertTrue(missing.contains(named), missing);
            assertTrue(shards.contains(named), shards);
        }
    }

    @Test
    void metricsHaveASampleOfEachShardUnderOneHeader() throws Exception {
        engine.hasShards(shard(ShardHealth.ready()), shard(gone(ShardHealth.State.MISSING)));
        try (TestServer server = TestServer.of(engine)) {
            MetricsText metrics = MetricsText.parse(server.get("/metrics").body());

            for (String expected :
                    List.of(
                            "varve_shard_up 0 1",
                            "varve_shard_up 1 0",
                            "varve_shard_restarts_total 1 2",
                            "varve_shard_tokens_total 0 60",
                            "varve_shard_forward_seconds_total 0 1.5",
                            "varve_shard_boundary_seconds_total 0 0.25")) {
                String[] parts = expected.split(" ");
                List<MetricsText.Sample> samples = metrics.samples(parts[0], "shard", parts[1]);
                assertEquals(
                        Map.of(
                                "model", "random",
                                "shard", parts[1],
                                "device", "cpu:0@unix:/run/a\"b\\c",
                                "first_layer", "3",
                                "end_layer", "7"),
                        samples.getFirst().labels());
                assertEquals(Double.parseDouble(parts[2]), samples.getFirst().value(), expected);
            }
            assertEquals(33, metrics.value("varve_shard_bytes", "shard", "1", "kind", "kv"));
            assertEquals(
                    700,
                    metrics.value(
                            "varve_shard_wire_bytes_total", "shard", "0", "direction", "sent"));
            assertEquals(
                    1, metrics.value("varve_shard_wire_info", "shard", "0", "payloads", "shared"));
            assertEquals(3, metrics.value("varve_replays_total", "model", "random"));
        }
    }

    private static ReplicaStatus replica(int id, ReplicaStatus.State state) {
        return new ReplicaStatus(
                id,
                state,
                Optional.of("made for the test"),
                new EngineStatus.Load(100, 4, 0, 0),
                new EngineStatus.Tokens(0, 0, 0),
                new ReplicaStatus.FailoverCounts(2, 1));
    }

    @ParameterizedTest
    @EnumSource(
            value = ReplicaStatus.State.class,
            names = {"DRAINING", "DRAINED"})
    void metricsDoNotReportADrainedReplicaAsAFault(ReplicaStatus.State state) throws Exception {
        ShardStatus missing = shard(gone(ShardHealth.State.MISSING));
        engine.hasShards(missing, missing);
        engine.hasReplicas(replica(0, ReplicaStatus.State.DOWN), replica(1, state));
        try (TestServer server = TestServer.of(engine)) {
            MetricsText metrics = MetricsText.parse(server.get("/metrics").body());

            assertEquals(0, metrics.value("varve_replica_drained", "replica", "0"));
            assertEquals(1, metrics.value("varve_replica_drained", "replica", "1"));
            assertEquals(0, metrics.value("varve_shard_up", "shard", "0"));
            assertEquals(List.of(), metrics.samples("varve_shard_up", "shard", "1"));
            assertEquals(60, metrics.value("varve_shard_tokens_total", "shard", "1"));
        }
    }

    @Test
    void propsListTheShards() throws Exception {
        engine.hasShards(shard(gone(ShardHealth.State.LOADING)));
        try (TestServer server = TestServer.of(engine)) {
            JsonNode shard = TestServer.json(server.get("/props")).at("/runtime/shards/0");

            assertEquals(STRANGE_DEVICE, shard.get("device").stringValue());
            assertEquals(3, shard.get("first_layer").intValue());
            assertEquals(7, shard.get("end_layer").intValue());
            assertEquals(22, shard.get("mapped_weight_bytes").intValue());
            assertEquals("loading", shard.get("state").stringValue());
            assertEquals(1500, shard.get("forward_ms").doubleValue());
            assertEquals("shared", shard.get("payloads").stringValue());
        }
    }

    private static RemoteDraftStatus draft(ShardHealth health) {
        return new RemoteDraftStatus(
                STRANGE_DEVICE,
                55,
                health,
                new RemoteDraftStatus.Responses(40, 120, 3),
                new RemoteConnectionTraffic(900, 60, RemoteConnectionTraffic.PayloadPath.STREAM));
    }

    @Test
    void propsAndMetricsReportARemoteDraft() throws Exception {
        engine.hasDraft(draft(gone(ShardHealth.State.MISSING)));
        try (TestServer server = TestServer.of(engine)) {
            JsonNode draft = TestServer.json(server.get("/props")).at("/runtime/draft");
            MetricsText metrics = MetricsText.parse(server.get("/metrics").body());

            assertEquals(
                    "{'device':'cpu:0@unix:/run/a!b~c','bytes':55,'state':'missing','restarts':2,"
                            + "'answers':40,'answer_ms':120.0,'late':3,"
                            + "'reason':'killed by signal 9','sent_bytes':900,"
                            + "'received_bytes':60,'payloads':'stream'}",
                    draft.toString().replace("\\\"", "!").replace("\\\\", "~").replace('"', '\''));
            for (String expected :
                    List.of(
                            "varve_draft_up 0",
                            "varve_draft_bytes 55",
                            "varve_draft_restarts_total 2",
                            "varve_draft_answers_total 40",
                            "varve_draft_answer_seconds_total 0.12",
                            "varve_draft_late_total 3")) {
                String[] parts = expected.split(" ");
                MetricsText.Sample sample = metrics.samples(parts[0]).getFirst();
                assertEquals(
                        Map.of("model", "random", "device", "cpu:0@unix:/run/a\"b\\c"),
                        sample.labels());
                assertEquals(Double.parseDouble(parts[1]), sample.value(), expected);
            }
            assertEquals(900, metrics.value("varve_draft_wire_bytes_total", "direction", "sent"));
            assertEquals(1, metrics.value("varve_draft_wire_info", "payloads", "stream"));
        }
    }

    @Test
    void missingDraftKeepsTheServerReady() throws Exception {
        engine.hasDraft(draft(gone(ShardHealth.State.MISSING)));
        try (TestServer server = TestServer.of(engine)) {
            assertEquals(200, server.get("/health").statusCode());
        }
    }

    @Test
    void withoutARemoteDraftNothingIsReported() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            assertTrue(TestServer.json(server.get("/props")).at("/runtime/draft").isMissingNode());
            assertTrue(!server.get("/metrics").body().contains("varve_draft_up"));
        }
    }

    @ParameterizedTest
    @CsvSource({"/v1/chat/completions", "/v1/completions"})
    void requestRejectedForAMissingShardHasItsCode(String route) throws Exception {
        engine.refuses(new ShardLostException("shard cpu:0@process is lost"));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer = server.post(route, body(route, ""));

            assertEquals(503, answer.statusCode());
            assertEquals("5", answer.headers().firstValue("Retry-After").orElse(""));
            assertError(TestServer.json(answer));
        }
    }

    @ParameterizedTest
    @CsvSource({"/v1/chat/completions", "/v1/completions"})
    void streamEndedByAMissingShardReportsIt(String route) throws Exception {
        engine.says(TestServer.ids("Hello"))
                .fails(new ShardLostException("shard cpu:0@process is lost"));
        try (TestServer server = TestServer.of(engine)) {
            HttpResponse<String> answer = server.post(route, body(route, ", \"stream\": true"));

            assertEquals(200, answer.statusCode());
            List<JsonNode> events = TestServer.events(answer.body());
            assertTrue(events.size() > 1, answer.body());
            assertError(events.getLast());
            assertTrue(!answer.body().contains("[DONE]"), answer.body());
        }
    }

    private static void assertError(JsonNode body) {
        assertEquals("shard_missing", body.at("/error/code").stringValue(), body.toString());
        assertEquals("server_error", body.at("/error/type").stringValue(), body.toString());
    }

    private static String body(String route, String more) {
        return route.contains("chat")
                ? "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]" + more + "}"
                : "{\"prompt\": \"Hi\"" + more + "}";
    }
}
