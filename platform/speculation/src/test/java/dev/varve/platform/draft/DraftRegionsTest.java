package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.HashSet;
import java.util.Set;

/** No two sequences share a row, and what is read of a region holds all that it may see. */
class DraftRegionsTest {
    @ParameterizedTest
    @CsvSource({"1, 2, 1", "3, 8, 96", "2, 8, 56", "2, 8, 57", "4, 16, 4096"})
    void everyRowBelongsToOneSlotOfOneSequence(int count, int block, int capacity) {
        DraftRegions regions = new DraftRegions(count, block, capacity);

        Set<Integer> rows = new HashSet<>();
        for (int region = 0; region < count; region++) {
            for (int slot = 0; slot < block; slot++) {
                assertTrue(rows.add(regions.blockRow(region, slot)), "slot " + slot);
            }
            for (int position = 1000; position < 1000 + capacity; position++) {
                int row = regions.contextRow(region, position);
                assertTrue(rows.add(row), "position " + position);
                assertEquals(row, regions.contextRow(region, position + capacity), "the ring");
            }
        }
        for (int row : rows) {
            assertTrue(row >= 0 && row < regions.spareRow(), "row " + row);
        }
        assertEquals(regions.rows() - 1, regions.spareRow());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 64",
        "1, 64",
        "56, 64",
        "57, 128",
        "96, 128",
        "97, 128",
        "100000, 128",
    })
    void readsEndBehindTheContextInWholeSteps(int end, int rows) {
        assertEquals(rows, new DraftRegions(3, 8, 96).rowsToRead(end));
    }

    @ParameterizedTest
    @CsvSource({"1, 8, 56, 128", "1, 8, 57, 192", "3, 8, 57, 448", "4096, 8, 1048576, 4295229504"})
    void regionsAreWholeStepsWithAStepBehindThem(int count, int block, int capacity, long rows) {
        assertEquals(rows, new DraftRegions(count, block, capacity).rows());
    }
}
