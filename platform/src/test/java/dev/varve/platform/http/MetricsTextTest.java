package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardTraffic;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
        metrics.timeToFirstToken.observe(2_100_000);
        metrics.timeToFirstToken.observe(700_000_000);
        metrics.timeToFirstToken.observe(400_000_000_000L);
        metrics.interTokenLatency.observe(1_000_000);

        assertEquals(expected("all"), metrics.write(Optional.of(status())));
    }

    @Test
    void withoutAModelOnlyTheServersOwnMetricsAreWritten() throws IOException {
        String text = new Metrics().write(Optional.empty());

        assertTrue(text.startsWith("# HELP varve_requests_total "), text);
        assertEquals(6, text.lines().filter(line -> line.startsWith("# TYPE ")).count(), text);
    }

    private static String expected(String name) throws IOException {
        try (InputStream text =
                MetricsTextTest.class.getResourceAsStream("/metrics/" + name + ".txt")) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static EngineStatus status() {
        return new EngineStatus(
                4096,
                4,
                2,
                3,
                16384,
                4096,
                512,
                12_345_678_901L,
                100,
                20_000_000,
                30,
                40,
                50,
                60,
                7,
                8,
                12_345_678,
                List.of(
                        shard("cpu:0", Optional.empty()),
                        shard(
                                "cpu:0@unix:/run/a\"b\\c}",
                                Optional.of(
                                        new ShardTraffic(
                                                700, 800, ShardTraffic.Payloads.SHARED)))));
    }

    private static ShardStatus shard(String device, Optional<ShardTraffic> traffic) {
        return new ShardStatus(
                device,
                new LayerRange(3, 7),
                new ShardMemory(11, 22, 33, 44),
                ShardHealth.ready(),
                5,
                60,
                1500,
                2000,
                traffic);
    }
}
