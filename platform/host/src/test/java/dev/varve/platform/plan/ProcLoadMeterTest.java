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
import java.util.OptionalDouble;
import java.util.function.Supplier;

/** Counters as Linux writes them. */
class ProcLoadMeterTest {
    @TempDir Path folder;

    private void write(String cores, String own) throws IOException {
        Files.createDirectories(folder.resolve("self"));
        Files.writeString(
                folder.resolve("stat"), "cpu  " + cores + "\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
        Files.writeString(
                folder.resolve("self/stat"),
                "77 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 " + own + " 20 0 1 0 99");
    }

    private ProcLoadMeter meter() {
        return new ProcLoadMeter(folder, Duration.ZERO);
    }

    @Test
    void shareOfOthersExcludesIdleAndOwnTicks() throws IOException {
        write("1000 100 200 5000 300 10 20 30 0 0", "40 50 6 7");
        Supplier<OptionalDouble> load = meter().begin();
        // 1000 ticks later: 400 idle or waiting, 350 of this process and its children
        write("1350 150 350 5300 400 20 40 50 0 0", "240 150 36 27");

        assertEquals(OptionalDouble.of(0.25), load.get());
    }

    @Test
    void standingCountersAreUnknown() throws IOException {
        write("1000 100 200 5000 300 10 20 30 0 0", "40 50 6 7");

        assertEquals(OptionalDouble.empty(), meter().now());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 2 3", "a b c d e f g h"})
    void otherTextIsUnknown(String cores) throws IOException {
        write(cores, "1 2 3 4");

        assertEquals(OptionalDouble.empty(), meter().now());
    }

    @Test
    void systemWithoutCountersIsUnknown() {
        assertEquals(OptionalDouble.empty(), meter().now());
    }
}
