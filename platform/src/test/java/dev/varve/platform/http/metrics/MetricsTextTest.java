package dev.varve.platform.http.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.SlotUse;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardTraffic;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The whole text of {@code /metrics}: names, types, help, labels, buckets and numbers. */
class MetricsTextTest {
    @Test
    void everyMetricIsWritten() throws IOException {
        Metrics metrics = new Metrics();
        metrics.countRequest("/v1/completions", 200, "stop");
        metrics.countRequest("/v1/completions", 200, "stop");
        metrics.countRequest("/health", 200, "");
        metrics.countRequest("other", 404, "");
        metrics.countDisconnect();
        metrics.observeFirstToken(2_100_000);
        metrics.observeFirstToken(700_000_000);
        metrics.observeFirstToken(400_000_000_000L);
        metrics.observeTokenGap(1_000_000);

        String text = metrics.text(Optional.of(status()));

        assertEquals(families(expected("all")), families(text));
        assertTrue(text.endsWith("\n"), text);
    }

    @Test
    void withoutAModelOnlyTheServersOwnMetricsAreWritten() throws IOException {
        Metrics metrics = new Metrics();
        metrics.countRequest("/health", 503, "");

        String text = metrics.text(Optional.empty());

        assertTrue(text.startsWith("# HELP varve_requests_total "), text);
        assertEquals(6, text.lines().filter(line -> line.startsWith("# TYPE ")).count(), text);
    }

    /** The lines of each metric: its two headers, and its samples, whose order means nothing. */
    private static List<List<String>> families(String text) {
        List<List<String>> families = new ArrayList<>();
        for (String line : text.split("\n")) {
            if (line.startsWith("# HELP ")) {
                families.add(new ArrayList<>());
            }
            families.getLast().add(line);
        }
        families.forEach(family -> family.subList(2, family.size()).sort(null));
        return families;
    }

    private static String expected(String name) throws IOException {
        try (InputStream text =
                MetricsTextTest.class.getResourceAsStream("/metrics/" + name + ".txt")) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static EngineStatus status() {
        return new EngineStatus(
                new EngineStatus.Load(4096, 4, 2, 3),
                new SlotUse(16384, 4096, 512),
                new ShardMemory(12_345_678_801L, 100, 20_000_000, 30),
                new EngineStatus.Counts(new EngineStatus.Tokens(40, 50, 60), 7, 8, 12_345_678),
                cache(),
                List.of(
                        shard("cpu:0", Optional.empty()),
                        shard(
                                "cpu:0@unix:/run/a\"b\\c}",
                                Optional.of(
                                        new ShardTraffic(
                                                700, 800, ShardTraffic.Payloads.SHARED)))));
    }

    /** Of sources and reasons only some were counted. */
    private static PrefixCacheStatus cache() {
        return new PrefixCacheStatus(
                new PrefixCacheStatus.Tier(8_589_934_592L, 1_234_567_890, 12, 3456),
                new PrefixCacheStatus.Counts(
                        Map.of(CacheSource.HOST, 21L),
                        Map.of(CacheSource.HOST, 54_321L, CacheSource.DEVICE, 65L),
                        Map.of(MissReason.FAILED, 2L),
                        9,
                        new PrefixCacheStatus.Moved(
                                987_654_321,
                                123_456_789,
                                new long[] {1, 0, 2, 0, 3, 0, 0, 0, 0, 4},
                                12.5)));
    }

    private static ShardStatus shard(String device, Optional<ShardTraffic> traffic) {
        return new ShardStatus(
                device,
                new LayerRange(3, 7),
                new ShardMemory(11, 22, 33, 44),
                ShardHealth.ready(),
                new ShardStatus.Work(5, 60, 1500, 2000, traffic));
    }
}
