package dev.varve.platform.prefix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.sequence.ChunkHistory;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** Checkpoints go in the order of the tokens that they are likely to save for their bytes. */
class EvictionScoreTest {
    private static final long HALF = Duration.ofMinutes(30).toNanos();
    private static final int CELL = HostMemoryPool.CELL_BYTES;

    private long now = 1;
    private final HostMemoryPool memory = new HostMemoryPool(64L * CELL);
    private final EvictionScore usefulness = new EvictionScore(() -> now);

    @AfterEach
    void close() {
        memory.close();
    }

    /** A checkpoint of some tokens behind the root, in some cells, used at a time. */
    private Checkpoint checkpoint(int tokens, int cells, long used) {
        LayerBuffers pieces =
                new LayerBuffers(List.of(memory.allocate((long) cells * CELL).orElseThrow()));
        return new Checkpoint(CachedBlock.root(), new int[tokens], ChunkHistory.NONE, pieces, used);
    }

    private void assertOrder(Checkpoint first, Checkpoint second) {
        assertEquals(List.of(first, second), usefulness.ascending(List.of(first, second)));
        assertEquals(List.of(first, second), usefulness.ascending(List.of(second, first)));
    }

    @Test
    void entryThatSavesFewerTokensIsEvictedFirst() {
        assertOrder(checkpoint(100, 1, now), checkpoint(101, 1, now));
    }

    @Test
    void entryThatTakesMoreMemoryIsEvictedFirst() {
        assertOrder(checkpoint(199, 2, now), checkpoint(100, 1, now));
        assertOrder(checkpoint(100, 1, now), checkpoint(201, 2, now));
    }

    @Test
    void frequentlyUsedEntryIsKept() {
        Checkpoint used = checkpoint(101, 1, now);
        used.use(now);
        Checkpoint usedTwice = checkpoint(68, 1, now);
        usedTwice.use(now);
        usedTwice.use(now);

        assertOrder(checkpoint(200, 1, now), used);
        // 3 times 68 are more than 2 times 101.
        assertOrder(used, usedTwice);
    }

    @Test
    void halfAnHourHalvesTheScore() {
        now = 10 * HALF;
        assertOrder(checkpoint(199, 1, now - HALF), checkpoint(100, 1, now));
        assertOrder(checkpoint(100, 1, now), checkpoint(201, 1, now - HALF));
        assertOrder(checkpoint(399, 1, now - 2 * HALF), checkpoint(100, 1, now));
    }

    @Test
    void equalScoresEvictTheLeastRecentlyUsed() {
        // Both save nothing.
        assertOrder(checkpoint(0, 1, now - 2), checkpoint(0, 1, now - 1));
    }

    @Test
    void entryInUseIsNotEvicted() {
        Checkpoint pinned = checkpoint(1, 1, now);
        pinned.pin();
        Checkpoint other = checkpoint(100, 1, now);

        assertEquals(List.of(other), usefulness.ascending(List.of(pinned, other)));
    }
}
