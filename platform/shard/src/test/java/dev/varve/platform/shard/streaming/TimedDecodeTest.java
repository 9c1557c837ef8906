package dev.varve.platform.shard.streaming;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.streaming.TimedDecode.ReadAhead;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** The gain of the cache of experts and of reads ahead, in simulated time. */
class TimedDecodeTest {
    private static final int TOKENS = 300;
    private static final long ALL = TimedDecode.LAYERS * TimedDecode.EXPERTS * TimedDecode.EXPERT;

    /** Memory for the experts of a token in one layer and those that are read ahead. */
    private static final long NO_CACHE = 2 * TimedDecode.USED * TimedDecode.EXPERT;

    /** An NVMe disk. */
    private static final double DISK = 3e9;

    @TempDir Path folder;

    private long nanos(long limit, double skew, double accuracy, ReadAhead readAhead, double disk) {
        RandomRouter router =
                new RandomRouter(
                        TimedDecode.LAYERS, TimedDecode.EXPERTS, TimedDecode.USED, skew, 4711);
        try (TimedDecode decode = new TimedDecode(folder, limit, disk)) {
            long ignored = decode.run(TOKENS * 2 / 3, router, accuracy, readAhead);
            long nanos = decode.run(TOKENS, router, accuracy, readAhead);
            assertEquals(0, decode.longestPrefetch(), "a step waits for the begin of reads ahead");
            return nanos;
        }
    }

    /** The last case has the mean skew of the experts that demo:laguna uses. */
    @ParameterizedTest
    @CsvSource({"0.25, 1.0", "0.5, 0.7", "0.25, 0.52"})
    @ByDay(3)
    void cacheOfUnequallyUsedExpertsIsFaster(double share, double skew) {
        for (ReadAhead way : List.of(ReadAhead.NEVER, ReadAhead.IF_IT_PAYS)) {
            double without = nanos(NO_CACHE, skew, 0.8, way, DISK);
            double with = nanos((long) (share * ALL), skew, 0.8, way, DISK);

            assertTrue(without >= 1.3 * with, way + ": " + without / with);
        }
    }

    @ParameterizedTest
    @CsvSource({"0.05, 0", "0.25, 0.8"})
    void cacheOfEquallyUsedExpertsIsNotSlower(double share, double accuracy) {
        double without = nanos(NO_CACHE, 0, accuracy, ReadAhead.NEVER, DISK);
        double with = nanos((long) (share * ALL), 0, accuracy, ReadAhead.IF_IT_PAYS, DISK);

        assertTrue(without >= 0.98 * with, without + " without a cache, " + with);
    }

    /** A disk that a step does not use all the time. */
    @ParameterizedTest
    @CsvSource({"0.8, 1.2", "0.5, 1.05"})
    void readsAheadOfAFastDiskHideItsTime(double accuracy, double gain) {
        double without = nanos(ALL / 4, 0.7, accuracy, ReadAhead.NEVER, 4 * DISK);
        double with = nanos(ALL / 4, 0.7, accuracy, ReadAhead.IF_IT_PAYS, 4 * DISK);

        assertTrue(without >= gain * with, without + " without reads ahead, " + with);
    }

    @ParameterizedTest
    @ValueSource(doubles = {DISK, 4 * DISK})
    @ByDay(1)
    void wrongGuessesAreGivenUp(double disk) {
        double without = nanos(ALL / 4, 0.7, 0, ReadAhead.NEVER, disk);
        double with = nanos(ALL / 4, 0.7, 0, ReadAhead.IF_IT_PAYS, disk);

        assertTrue(without >= 0.98 * with, without + " without reads ahead, " + with);
    }

    /** A read that a step waits for is at most one piece later than without reads ahead. */
    @Test
    void neededReadWaitsForFewPiecesOfReadsAhead() {
        try (TimedDecode decode = new TimedDecode(folder, ALL, DISK)) {
            long alone = decode.load(0, new int[] {1});
            decode.prefetch(1, IntStream.range(0, 32).toArray());

            long beside = decode.load(2, new int[] {1});

            assertTrue(beside <= 2 * alone + 1_000_000, beside + " ns, alone " + alone);
        }
    }
}
