package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HeapTrimmerTest {
    private long used;
    private long live;
    private int collections;

    private void collect() {
        collections++;
        used = live;
    }

    private int collectionsAt(HeapTrimmer trimmer, long bytes) {
        used = bytes;
        int before = collections;
        trimmer.look();
        return collections - before;
    }

    @Test
    void garbageIsCollectedWhereItIsMoreThanWhatLives() {
        try (HeapTrimmer trimmer = new HeapTrimmer(() -> used, this::collect)) {
            live = HeapTrimmer.FLOOR;

            assertEquals(0, collectionsAt(trimmer, HeapTrimmer.FLOOR));
            assertEquals(1, collectionsAt(trimmer, HeapTrimmer.FLOOR + 1));
            assertEquals(0, collectionsAt(trimmer, 2 * live));
            assertEquals(1, collectionsAt(trimmer, 2 * live + 1));
        }
    }

    @Test
    void aHeapThatNeedsWhatItHasIsNotCollectedAgainAndAgain() {
        try (HeapTrimmer trimmer = new HeapTrimmer(() -> used, this::collect)) {
            live = 5 * HeapTrimmer.FLOOR;

            assertEquals(1, collectionsAt(trimmer, live));
            assertEquals(0, collectionsAt(trimmer, live));
        }
    }

    @Test
    void aPeakThatIsOverRaisesNoLimit() {
        try (HeapTrimmer trimmer = new HeapTrimmer(() -> used, this::collect)) {
            live = 5 * HeapTrimmer.FLOOR;
            assertEquals(1, collectionsAt(trimmer, live));

            live = HeapTrimmer.FLOOR;
            assertEquals(0, collectionsAt(trimmer, live));
            assertEquals(1, collectionsAt(trimmer, 2 * live + 1));
        }
    }

    @Test
    void aSmallHeapIsLeftAlone() {
        try (HeapTrimmer trimmer = new HeapTrimmer(() -> used, this::collect)) {
            live = 1;

            assertEquals(0, collectionsAt(trimmer, HeapTrimmer.FLOOR));
        }
    }
}
