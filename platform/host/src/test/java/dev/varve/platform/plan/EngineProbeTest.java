package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.SplitRule;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.PlainModel;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.OptionalDouble;
import java.util.function.Supplier;

class EngineProbeTest {
    private static final PlainModel MODEL = PlainModel.attentionOnly(3, 1024);
    private static final ModelBlocks BLOCKS = ModelBlocks.of(MODEL);
    private static final long PLENTY = 1L << 30;
    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    /** An idle machine. */
    private static final LoadMeter IDLE =
            new LoadMeter() {
                @Override
                public Supplier<OptionalDouble> begin() {
                    return this::now;
                }

                @Override
                public OptionalDouble now() {
                    return OptionalDouble.of(0);
                }
            };

    @TempDir Path folder;

    private double tokenMillis(String devices) {
        return new EngineProbe(
                        MODEL.shape(),
                        new MeasurementCache(new ProbeCache(folder, () -> NOW), Instant.MIN, IDLE))
                .tokenMillis(forecast(devices));
    }

    private static SplitForecast forecast(String devices) {
        Measurement speed =
                new Measurement(
                        new DeviceSpeed(
                                StepTime.ZERO,
                                Collections.nCopies(BLOCKS.kindCount(), new StepTime(1, 1))),
                        NOW,
                        Duration.ZERO,
                        OptionalDouble.empty());
        return new SplitPlanner(
                        MODEL,
                        () -> BLOCKS,
                        ModelSettings.single(512),
                        device ->
                                new DeviceInfo(
                                        device.device(),
                                        "",
                                        PLENTY,
                                        PLENTY,
                                        device.backend().equals("cpu")),
                        device -> speed)
                .forecast(
                        PlacementRequest.of(
                                DeviceReference.parseList(devices), new SplitRule.Equal()));
    }

    @Test
    void timeOfTheServerIsMeasuredOnceForEachKindOfSplit() throws IOException {
        double first = tokenMillis("cpu:0");
        double second = tokenMillis("cpu:0");
        double split = tokenMillis("cuda:0,cpu:0");

        assertTrue(first > 0, "measured " + first);
        assertEquals(first, second, "the second time it is found in the cache");
        assertTrue(split > 0, "measured " + split);
        try (var files = Files.list(folder)) {
            assertEquals(2, files.count(), "one file for each");
        }
    }

    @Test
    void timeOfTheServerAddsToThatOfTheShards() {
        SplitForecast shards = forecast("cuda:0,cpu:0");

        SplitForecast whole = shards.serving(2);

        assertEquals(1000 / 3.0, shards.decodeTokensPerSecond(), 1e-9);
        assertEquals(1000 / 5.0, whole.decodeTokensPerSecond(), 1e-9);
        assertEquals(shards.prefillTokensPerSecond(), whole.prefillTokensPerSecond(), 1e-9);
    }
}
