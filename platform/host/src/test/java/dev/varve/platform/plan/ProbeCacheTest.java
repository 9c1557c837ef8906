package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

class ProbeCacheTest {
    private static final DeviceSpeed SPEED =
            new DeviceSpeed(
                    new StepTime(0.25, 0), List.of(new StepTime(1.5, 70), new StepTime(3, 1e-7)));

    private static final Instant TIME = Instant.parse("2026-01-02T03:04:05.678Z");

    @TempDir Path folder;

    private static Measurement measured(OptionalDouble load) {
        return new Measurement(SPEED, TIME, Duration.ofMinutes(5), load);
    }

    private static ProbeCache cache(Path folder) {
        return new ProbeCache(folder, () -> TIME.plusSeconds(300));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.625, 1})
    void storedMeasurementIsFoundByItsKeyOnly(double load) throws IOException {
        ProbeCache cache = cache(folder.resolve("probes"));

        cache.store("cpu:0 | model a", measured(OptionalDouble.of(load)));

        assertEquals(Optional.of(measured(OptionalDouble.of(load))), cache.find("cpu:0 | model a"));
        assertEquals(Optional.empty(), cache.find("cpu:0 | model b"));
        try (var files = Files.list(folder.resolve("probes"))) {
            assertEquals(1, files.count(), "no file is left over");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "varve-device-speed 1\nkey\n0 0\n1 1\nend",
                "varve-device-speed 3\nkey\nTIME -\n0 0\n1 1\nend",
                "varve-device-speed 2\nother key\nTIME -\n0 0\n1 1\nend",
                "varve-device-speed 2\nkey\nTIME -\n0 0\n1 1",
                "varve-device-speed 2\nkey\nTIME -\n0 0\n1\nend",
                "varve-device-speed 2\nkey\nTIME -\n0 0\n1 1 1\nend",
                "varve-device-speed 2\nkey\nTIME -\n0 0\nNaN 1\nend",
                "varve-device-speed 2\nkey\nTIME -\n0 0\n-1 1\nend",
                "varve-device-speed 2\nkey\nTIME -\n0 0\nInfinity 1\nend",
                "varve-device-speed 2\nkey\nTIME 1.5\n0 0\n1 1\nend",
                "varve-device-speed 2\nkey\nTIME NaN\n0 0\n1 1\nend",
                "varve-device-speed 2\nkey\nTIME\n0 0\n1 1\nend",
                "varve-device-speed 2\nkey\nyesterday -\n0 0\n1 1\nend",
                "varve-device-speed 2\nkey\nTIME -\nend",
            })
    void damagedFileIsIgnored(String content) throws IOException {
        ProbeCache cache = cache(folder);
        Files.writeString(cache.file("key"), content.replace("TIME", TIME.toString()));

        assertEquals(Optional.empty(), cache.find("key"));

        cache.store("key", measured(OptionalDouble.empty()));
        assertEquals(
                Optional.of(measured(OptionalDouble.empty())),
                cache.find("key"),
                "and is replaced");
    }

    @Test
    void nonTextFileIsIgnored() throws IOException {
        ProbeCache cache = cache(folder);
        Files.write(cache.file("key"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});

        assertEquals(Optional.empty(), cache.find("key"));
    }

    @Test
    void unwritableFolderIsNoFailure() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        ProbeCache cache = cache(file);

        cache.store("key", measured(OptionalDouble.empty()));

        assertEquals(Optional.empty(), cache.find("key"));
    }
}
