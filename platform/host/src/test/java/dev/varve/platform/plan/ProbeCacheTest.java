package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

class ProbeCacheTest {
    private static final DeviceSpeed SPEED =
            new DeviceSpeed(
                    new StepTime(0.25, 0), List.of(new StepTime(1.5, 70), new StepTime(3, 1e-7)));

    @TempDir Path folder;

    @Test
    void storedMeasurementIsFoundByItsKeyOnly() throws IOException {
        ProbeCache cache = new ProbeCache(folder.resolve("probes"));

        cache.store("cpu:0 | model a", SPEED);

        assertEquals(Optional.of(SPEED), cache.find("cpu:0 | model a"));
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
                "varve-device-speed 2\nkey\n0 0\n1 1\nend",
                "varve-device-speed 1\nother key\n0 0\n1 1\nend",
                "varve-device-speed 1\nkey\n0 0\n1 1",
                "varve-device-speed 1\nkey\n0 0\n1\nend",
                "varve-device-speed 1\nkey\n0 0\n1 1 1\nend",
                "varve-device-speed 1\nkey\n0 0\nNaN 1\nend",
                "varve-device-speed 1\nkey\n0 0\n-1 1\nend",
                "varve-device-speed 1\nkey\n0 0\nInfinity 1\nend",
                "varve-device-speed 1\nkey\nend",
            })
    void damagedFileIsIgnored(String content) throws IOException {
        ProbeCache cache = new ProbeCache(folder);
        Files.writeString(cache.file("key"), content);

        assertEquals(Optional.empty(), cache.find("key"));

        cache.store("key", SPEED);
        assertEquals(Optional.of(SPEED), cache.find("key"), "and is replaced");
    }

    @Test
    void nonTextFileIsIgnored() throws IOException {
        ProbeCache cache = new ProbeCache(folder);
        Files.write(cache.file("key"), new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});

        assertEquals(Optional.empty(), cache.find("key"));
    }

    @Test
    void unwritableFolderIsNoFailure() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        ProbeCache cache = new ProbeCache(file);

        cache.store("key", SPEED);

        assertEquals(Optional.empty(), cache.find("key"));
    }
}
