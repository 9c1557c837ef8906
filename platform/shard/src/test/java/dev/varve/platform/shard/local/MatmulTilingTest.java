package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MatmulTilingTest {
    private static final int ROW = 2048;

    /** Two threads have a megabyte of rows together, which is 512 of these; the step is 96. */
    @ParameterizedTest
    @CsvSource({"5, 576, 4", "8, 576, 4", "32, 576, 4", "33, 576, 33", "512, 576, 512"})
    void tileFitsTheCpuCaches(int columns, int rows, int together) {
        assertEquals(new MatmulTiling(rows, together), MatmulTiling.of(4096, ROW, columns, 2));
    }

    @Test
    void moreThreadsHaveMoreCaches() {
        assertEquals(new MatmulTiling(4128, 4), MatmulTiling.of(10_000, ROW, 8, 16));
    }

    @Test
    void hugeWeightIsCutIntoAtMost128Tiles() {
        MatmulTiling tiles = MatmulTiling.of(1_000_000, ROW, 8, 2);

        assertEquals(new MatmulTiling(7872, 4), tiles);
        assertEquals(2 * 128, tiles.count(1_000_000, 8));
    }

    @ParameterizedTest
    @CsvSource({"4096, 5, 16", "4096, 8, 16", "4097, 9, 24", "576, 8, 2", "100, 32, 8", "1, 33, 1"})
    void rowsAndColumnsAreTiled(int rows, int columns, int tiles) {
        assertEquals(tiles, MatmulTiling.of(rows, ROW, columns, 2).count(rows, columns));
    }
}
