package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PeriodicGarbageCollectionTest {
    private long used;
    private long live;
    private int collections;

    private void collect() {
        collections++;
        used = live;
    }

    private int collectionsAt(PeriodicGarbageCollection trimmer, long bytes) {
        used = bytes;
        int before = collections;
        trimmer.check();
        return collections - before;
    }

    @Test
    void garbageIsCollectedWhenItExceedsLiveData() {
        try (PeriodicGarbageCollection trimmer =
                new PeriodicGarbageCollection(() -> used, this::collect)) {
            live = PeriodicGarbageCollection.FLOOR;

            assertEquals(0, collectionsAt(trimmer, PeriodicGarbageCollection.FLOOR));
            assertEquals(1, collectionsAt(trimmer, PeriodicGarbageCollection.FLOOR + 1));
            assertEquals(0, collectionsAt(trimmer, 2 * live));
            assertEquals(1, collectionsAt(trimmer, 2 * live + 1));
        }
    }

    @Test
    void heapOfLiveDataIsNotCollectedRepeatedly() {
        try (PeriodicGarbageCollection trimmer =
                new PeriodicGarbageCollection(() -> used, this::collect)) {
            live = 5 * PeriodicGarbageCollection.FLOOR;

            assertEquals(1, collectionsAt(trimmer, live));
            assertEquals(0, collectionsAt(trimmer, live));
        }
    }

    @Test
    void pastPeakDoesNotRaiseTheLimit() {
        try (PeriodicGarbageCollection trimmer =
                new PeriodicGarbageCollection(() -> used, this::collect)) {
            live = 5 * PeriodicGarbageCollection.FLOOR;
            assertEquals(1, collectionsAt(trimmer, live));

            live = PeriodicGarbageCollection.FLOOR;
            assertEquals(0, collectionsAt(trimmer, live));
            assertEquals(1, collectionsAt(trimmer, 2 * live + 1));
        }
    }

    @Test
    void smallHeapIsNotCollected() {
        try (PeriodicGarbageCollection trimmer =
                new PeriodicGarbageCollection(() -> used, this::collect)) {
            live = 1;

            assertEquals(0, collectionsAt(trimmer, PeriodicGarbageCollection.FLOOR));
        }
    }
}
