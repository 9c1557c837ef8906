package dev.varve.platform.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.plan.BlockBenchmark.RunTime;
import dev.varve.platform.shard.PlainModel;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.OptionalDouble;

/** Two kinds of blocks that take 2 ms and 6 ms alone, four of the first in the run. */
class BlockBenchmarkTest {
    private static final PlainModel MODEL = PlainModel.attentionOnly(5, 1024);
    private static final ModelBlocks BLOCKS = ModelBlocks.of(MODEL);
    private static final LayerRange RUN = new LayerRange(0, 4);
    private static final List<StepTime> SINGLE = List.of(new StepTime(2, 20), new StepTime(6, 60));

    private static DeviceSpeed combine(double decodeMillis, OptionalDouble prefillMillis) {
        BlockBenchmark probe =
                new BlockBenchmark(
                        MODEL,
                        BLOCKS,
                        range -> {
                            throw new AssertionError("nothing is loaded");
                        },
                        1L << 30);
        return probe.combine(SINGLE, RUN, 4, new RunTime(decodeMillis, prefillMillis));
    }

    /** Faster than the sum, as fast, slower, and quicker than one of its blocks. */
    @ParameterizedTest
    @CsvSource({"5", "8", "12", "1.5", "0.001"})
    void blocksAndTheRestAddUpToTheRun(double runMillis) {
        DeviceSpeed speed = combine(runMillis, OptionalDouble.of(70));

        assertEquals(runMillis, speed.of(BLOCKS, RUN).decodeMillis(), 1e-9);
        assertEquals(70, speed.of(BLOCKS, RUN).prefillMillis(), 1e-9);
    }

    @ParameterizedTest
    @CsvSource({"5", "0.001"})
    void runWithoutPrefillKeepsThePrefillOfTheBlocks(double runMillis) {
        DeviceSpeed speed = combine(runMillis, OptionalDouble.empty());

        assertEquals(4 * 20, speed.of(BLOCKS, RUN).prefillMillis(), 1e-9);
    }
}
