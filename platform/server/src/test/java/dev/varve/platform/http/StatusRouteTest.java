package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationCounts;
import dev.varve.platform.http.access.CacheAccessSettings;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.model.MemoryPlacement;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.PagingStatus;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.GraphCounts;
import dev.varve.platform.shard.RemoteConnectionTraffic;
import dev.varve.platform.shard.RemoteProcessInfo;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** {@code /status}: how a model does at this moment. */
@Timeout(60)
class StatusRouteTest {
    private final ScriptedEngine engine = new ScriptedEngine();

    @AfterEach
    void stop() {
        engine.close();
    }

    /** Gives the engine every part that the status can report. */
    private void hasEverything() {
        ShardStatus.ForwardTotals work =
                new ShardStatus.ForwardTotals(
                        4,
                        60,
                        1000,
                        200,
                        new GraphCounts(
                                new GraphCounts.PhaseCounts(3, 1),
                                new GraphCounts.PhaseCounts(2, 58)),
                        new ExpertCounts(11, 12, 13_000),
                        Optional.of(
                                new RemoteConnectionTraffic(
                                        700, 800, RemoteConnectionTraffic.PayloadPath.SHARED)),
                        new ShardStatus.Recent(12.5, 3.25));
        ShardHealth lost =
                new ShardHealth(
                        ShardHealth.State.LOADING,
                        Optional.of("it loads its weights"),
                        2,
                        Optional.of(new ShardHealth.Recovery(300, 1000, 4)),
                        Optional.of(
                                new ShardHealth.Loss(
                                        "killed", Duration.ofMillis(2500), Optional.empty())));
        ShardHealth back =
                ShardHealth.ready(1)
                        .with(
                                Optional.of(
                                        new ShardHealth.Loss(
                                                "hung",
                                                Duration.ofSeconds(90),
                                                Optional.of(Duration.ofSeconds(3)))));
        engine.hasShards(
                shard("cpu:0", 0, 3, ShardHealth.ready(), work, Optional.empty()),
                shard(
                        "cpu:0@process",
                        3,
                        5,
                        lost,
                        work,
                        Optional.of(
                                new RemoteProcessInfo(true, Optional.empty(), Optional.of(77L)))),
                shard(
                        "cuda:0@grpc:box:7700",
                        5,
                        6,
                        back,
                        work,
                        Optional.of(
                                new RemoteProcessInfo(
                                        false, Optional.of("grpc:box:7700"), Optional.empty()))));
        engine.lacksShards(
                new EngineStatus.Outage(Duration.ofSeconds(2), Duration.ofSeconds(28), false));
        engine.keeps(
                new PrefixCacheStatus(
                        new PrefixCacheStatus.HostTierStatus(1000, 400, 2, 768),
                        new PrefixCacheStatus.Counts(
                                Map.of(CacheSource.HOST, 5L),
                                Map.of(CacheSource.HOST, 900L),
                                Map.of(MissReason.EVICTED, 3L),
                                7,
                                PrefixCacheStatus.NONE.counts().moved()),
                        Optional.of(
                                new ArchiveStatus(
                                        ArchiveStatus.State.PAUSED,
                                        5000,
                                        600,
                                        20,
                                        4,
                                        1,
                                        new ArchiveStatus.Traffic(
                                                11,
                                                12,
                                                13,
                                                Map.of(ArchiveMissException.Reason.CORRUPT, 2L)))),
                        Optional.of(
                                new SharedArchiveStatus(
                                        "redis://secret-host/0",
                                        false,
                                        true,
                                        Map.of(SharedArchiveStatus.SearchOutcome.FOUND, 4L),
                                        30,
                                        40,
                                        Map.of(ArchiveMissException.Reason.MISMATCH, 6L))),
                        Optional.empty()));
        engine.guessed(
                new SpeculationCounts(
                        10,
                        6,
                        List.of(1L, 1L, 2L),
                        List.of(0L, 0L, 3L),
                        "ngram",
                        List.of(new SpeculationCounts.ConfidenceBucket(2, 10, 6, 4))));
        engine.hasDraft(
                new RemoteDraftStatus(
                        "cpu:0@process",
                        55,
                        ShardHealth.ready(),
                        new RemoteDraftStatus.Responses(40, 120, 3),
                        new RemoteConnectionTraffic(
                                900, 60, RemoteConnectionTraffic.PayloadPath.STREAM)));
        engine.pages(
                new PagingStatus(
                        new PagingOptions(512, PagePolicy.LRU, 64),
                        new PagingCounts(9, 4, 640, 3, 2, 1),
                        5,
                        320,
                        8),
                new GenerationEnd.Paging(PagePolicy.LRU, PagingCounts.NONE, 0, 0));
    }

    private static ShardStatus shard(
            String device,
            int begin,
            int end,
            ShardHealth health,
            ShardStatus.ForwardTotals work,
            Optional<RemoteProcessInfo> peer) {
        return new ShardStatus(
                device,
                new LayerRange(begin, end),
                new ShardMemory(11, 22, 33, 44, 55),
                health,
                work,
                peer);
    }

    private TestServer placed() {
        return placed(new MemoryPlacement.ShardStateMemory("cuda:0", 50));
    }

    private TestServer placed(MemoryPlacement.ShardStateMemory last) {
        ServedModel plain = SmallChat.served(engine);
        return TestServer.of(
                new ServedModel(
                        new ModelDescription(
                                "small",
                                "small",
                                1000,
                                Map.of(),
                                new MemoryPlacement(
                                        List.of(
                                                new MemoryPlacement.ShardStateMemory("host", 10),
                                                new MemoryPlacement.ShardStateMemory("host", 10),
                                                last),
                                        List.of(
                                                new MemoryPlacement.MemoryDomain(
                                                        "host", 5000, 9000),
                                                new MemoryPlacement.MemoryDomain(
                                                        "cuda:0", 600, 700)))),
                        engine,
                        plain.textProcessing()));
    }

    @Test
    void shardsAreReportedWithProcessTimesAndLosses() throws Exception {
        hasEverything();
        try (TestServer server = placed()) {
            JsonNode placement = TestServer.json(server.get("/status")).get("placement");

            assertEquals(6, placement.get("layers").intValue());
            JsonNode local = placement.at("/shards/0");
            assertEquals("local", local.at("/process/kind").stringValue());
            assertEquals(ProcessHandle.current().pid(), local.at("/process/pid").longValue());
            assertFalse(local.has("last_loss"));
            assertEquals(250, local.get("mean_forward_ms").doubleValue());
            assertEquals(50, local.get("mean_boundary_ms").doubleValue());
            assertEquals(2, local.get("decode_graphs_recorded").intValue());
            assertEquals(58, local.get("decode_graphs_reused").intValue());
            assertEquals(11, local.get("expert_hits").intValue());
            assertEquals(12, local.get("expert_misses").intValue());
            assertEquals(13_000, local.get("expert_read_bytes").intValue());
            assertEquals(0.478, local.get("expert_hit_rate").doubleValue());
            assertEquals(12.5, local.get("recent_decode_ms").doubleValue());
            assertEquals(3.25, local.get("recent_prefill_ms_per_token").doubleValue());
            assertEquals(10, local.get("state_bytes").intValue());
            assertEquals(800, local.get("received_bytes").intValue());
            JsonNode own = placement.at("/shards/1");
            assertEquals("{\"kind\":\"own\",\"pid\":77}", own.get("process").toString());
            assertEquals("loading", own.get("state").stringValue());
            assertEquals(2.5, own.at("/last_loss/ago_seconds").doubleValue());
            assertEquals("killed", own.at("/last_loss/reason").stringValue());
            assertFalse(own.get("last_loss").has("outage_seconds"));
            assertEquals(300, own.get("loaded_bytes").intValue());
            JsonNode listening = placement.at("/shards/2");
            assertEquals("grpc:box:7700", listening.at("/process/address").stringValue());
            assertEquals(3.0, listening.at("/last_loss/outage_seconds").doubleValue());
            assertEquals(
                    "{\"waited_seconds\":2.0,\"left_seconds\":28.0,\"turns_away\":false}",
                    placement.get("outage").toString());
        }
    }

    @Test
    void memoriesAreReportedWithTheirLimits() throws Exception {
        hasEverything();
        try (TestServer server = placed()) {
            JsonNode memories = TestServer.json(server.get("/status")).at("/placement/memories");

            assertEquals(
                    "{'name':'host','limit_bytes':5000,'total_bytes':9000,'weight_bytes':66,"
                            + "'kv_bytes':46,'state_bytes':20,'compute_bytes':88,"
                            + "'prompt_cache_bytes':400,'page_bytes':0,'used_bytes':620,"
                            + "'shards':[0,1]}",
                    memories.get(0).toString().replace('"', '\''));
            // More than its caches hold is no state.
            assertEquals(33, memories.at("/1/state_bytes").intValue());
            assertEquals(0, memories.at("/1/kv_bytes").intValue());
            assertEquals(0, memories.at("/1/prompt_cache_bytes").intValue());
        }
    }

    /** Two thirds of the last shard's 33 bytes are on the host. */
    @Test
    void weightsOfOtherDevicesCountInTheirMemory() throws Exception {
        hasEverything();
        try (TestServer server =
                placed(
                        new MemoryPlacement.ShardStateMemory(
                                "cuda:0", 50, Map.of("host", 2.0 / 3)))) {
            JsonNode memories = TestServer.json(server.get("/status")).at("/placement/memories");

            assertEquals(66 + 22, memories.at("/0/weight_bytes").intValue());
            assertEquals(11, memories.at("/1/weight_bytes").intValue());
        }
    }

    private static ReplicaStatus replica(int id, ReplicaStatus.State state) {
        return new ReplicaStatus(
                id,
                state,
                state == ReplicaStatus.State.READY
                        ? Optional.empty()
                        : Optional.of("made for the test"),
                new EngineStatus.Load(1000, 4, 1, 2),
                new EngineStatus.Tokens(40, 50, 60),
                new ReplicaStatus.FailoverCounts(3, 1));
    }

    @Test
    void replicasAreReportedWithTheMemoryOfAllTheirShards() throws Exception {
        ShardStatus.ForwardTotals work =
                new ShardStatus.ForwardTotals(4, 60, 1000, 200, Optional.empty());
        ShardStatus[] each = new ShardStatus[6];
        for (int i = 0; i < each.length; i++) {
            int begin = 2 * (i % 3);
            String device = i % 3 == 2 ? "cuda:0" : "cpu:0";
            each[i] = shard(device, begin, begin + 2, ShardHealth.ready(), work, Optional.empty());
        }
        engine.hasShards(each)
                .hasReplicas(
                        replica(0, ReplicaStatus.State.DOWN),
                        replica(1, ReplicaStatus.State.READY));
        try (TestServer server = placed()) {
            JsonNode status = TestServer.json(server.get("/status"));

            assertEquals("down", status.at("/replicas/0/state").stringValue());
            assertEquals("made for the test", status.at("/replicas/0/reason").stringValue());
            assertEquals(3, status.at("/replicas/1/moved_requests").intValue());
            assertEquals(6, status.at("/placement/layers").intValue());
            for (int i = 0; i < each.length; i++) {
                JsonNode shard = status.at("/placement/shards/" + i);
                assertEquals(i / 3, shard.get("replica").intValue(), "shard " + i);
                assertEquals(i % 3 == 2 ? "cuda:0" : "host", shard.get("memory").stringValue());
            }
            JsonNode host = status.at("/placement/memories/0");
            assertEquals("[0,1,3,4]", host.get("shards").toString());
            assertEquals(4 * 33, host.get("weight_bytes").intValue());
            assertEquals(4 * 10, host.get("state_bytes").intValue());
            assertEquals(4 * 23, host.get("kv_bytes").intValue());
            assertEquals(4 * 44, host.get("compute_bytes").intValue());
            assertEquals("[2,5]", status.at("/placement/memories/1/shards").toString());
        }
    }

    @Test
    void tiersHitsAndMissesAreReported() throws Exception {
        hasEverything();
        try (TestServer server = placed()) {
            JsonNode cache = TestServer.json(server.get("/status")).get("cache");

            assertEquals(
                    "{\"device\":0,\"host\":5,\"disk\":0,\"shared\":0,\"peer\":0}",
                    cache.get("hits").toString());
            assertEquals(900, cache.at("/saved_tokens/host").intValue());
            assertEquals(3, cache.at("/misses/evicted").intValue());
            assertEquals(MissReason.values().length, cache.get("misses").size());
            assertEquals("device", cache.at("/tiers/0/name").stringValue());
            assertEquals(400, cache.at("/tiers/1/used_bytes").intValue());
            assertEquals(7, cache.at("/tiers/1/evictions").intValue());
            assertEquals("paused", cache.at("/tiers/2/state").stringValue());
            assertEquals(2, cache.at("/tiers/2/misses/corrupt").intValue());
            assertEquals(
                    "{'name':'shared','state':'away','written_bytes':30,'read_bytes':40,"
                            + "'searches':{'found':4,'nothing':0,'failed':0,'skipped':0},"
                            + "'misses':{'absent':0,'corrupt':0,'mismatch':6,'unreadable':0}}",
                    cache.at("/tiers/3").toString().replace('"', '\''));
        }
    }

    @Test
    void draftTokensAndPagesAreReported() throws Exception {
        hasEverything();
        try (TestServer server = placed()) {
            JsonNode status = TestServer.json(server.get("/status"));

            JsonNode guesses = status.get("speculation");
            assertEquals("ngram", guesses.get("name").stringValue());
            assertEquals(0.6, guesses.get("acceptance_rate").doubleValue());
            assertEquals(2.5, guesses.get("acceptance_length").doubleValue());
            assertEquals("[0,0,3]", guesses.get("widths").toString());
            assertEquals(2, guesses.at("/grades/0/grade").intValue());
            assertEquals(3, guesses.at("/draft/late").intValue());
            assertEquals(8, status.at("/paging/resident_pages").intValue());
            assertEquals(5, status.at("/paging/host_pages").intValue());
            assertEquals(0, status.at("/paging/pages_in_per_step").doubleValue());
        }
    }

    @Test
    void disabledFeaturesAreNotReported() throws Exception {
        try (TestServer server = TestServer.of(engine)) {
            JsonNode status = TestServer.json(server.get("/status"));

            assertEquals("{\"enabled\":false}", status.get("speculation").toString());
            assertFalse(status.has("paging"));
            assertFalse(status.has("replicas"));
            assertFalse(status.get("placement").has("outage"));
            assertEquals(2, status.at("/cache/tiers").size());
            assertEquals("ready", status.get("state").stringValue());
        }
    }

    @Test
    void loadingModelIsA503() throws Exception {
        try (TestServer server = TestServer.loading(HttpOptions.loopback())) {
            assertEquals(503, server.get("/status").statusCode());
        }
    }

    @Test
    void keyIsRequiredWhereRequestsNeedOne() throws Exception {
        try (TestServer server = TestServer.of(engine, TestServer.withKey("one"))) {
            assertEquals(401, server.get("/status").statusCode());
            assertEquals(200, server.get("/status", "X-Api-Key", "one").statusCode());
        }
    }

    /** With them one key finds out what others ask. */
    @ParameterizedTest
    @CsvSource({"/status, op, true", "/status, one, false", "/props, one, false"})
    void cacheFiguresAreForTheOperator(String path, String key, boolean shown) throws Exception {
        HttpOptions options =
                new HttpOptions(
                        ListenAddress.LOOPBACK,
                        new ClientAccessSettings(
                                        Set.of("one", "two"),
                                        ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                                        CorsAndHostOptions.NONE)
                                .withCache(
                                        new CacheAccessSettings(
                                                CacheSharingPolicy.KEY, Optional.of("op"))),
                        IngressLimits.DEFAULT);
        try (TestServer server = TestServer.of(engine, options)) {
            String report = server.get(path, "X-Api-Key", key).body();

            for (String figure :
                    List.of("used_bytes\":0,\"entries", "cached_tokens", "evictions")) {
                assertFalse(!shown && report.contains(figure), figure + " in " + report);
            }
            assertEquals(shown, report.contains("evictions"), report);
            assertTrue(report.contains("\"scope\":\"key\""), report);
        }
    }

    /** The documentation names every field of the status. */
    @Test
    void allFieldsAreDocumented() throws Exception {
        Path docs = Path.of(System.getProperty("varve.test.root", ".."), "docs", "api.md");
        assumeTrue(Files.exists(docs), "no documentation " + docs.toAbsolutePath());
        String text = Files.readString(docs);
        hasEverything();
        engine.hasReplicas(replica(0, ReplicaStatus.State.RECOVERING));
        try (TestServer server = placed()) {
            Set<String> names = new TreeSet<>();
            collect(TestServer.json(server.get("/status")), names);

            for (String name : names) {
                assertTrue(text.contains("`" + name + "`"), name);
            }
        }
    }

    private static void collect(JsonNode node, Set<String> names) {
        node.propertyNames().forEach(names::add);
        node.values().forEach(each -> collect(each, names));
    }
}
