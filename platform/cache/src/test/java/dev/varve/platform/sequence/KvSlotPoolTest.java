package dev.varve.platform.sequence;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

class KvSlotPoolTest {
    private static final int BLOCK = KvSlotSpan.BLOCK;

    @Test
    void spanGrowsInPlaceWhileTheSlotsBehindItAreFree() {
        KvSlotPool pool = new KvSlotPool(8 * BLOCK);
        KvSlotSpan first = pool.allocate(BLOCK).orElseThrow();
        KvSlotSpan second = pool.allocate(BLOCK).orElseThrow();

        KvSlotSpan grown = pool.extend(first, 2 * BLOCK).orElseThrow();

        assertEquals(new KvSlotSpan(first.begin(), 2 * BLOCK), grown);
        assertTrue(second.begin() > grown.end(), "the second span leaves room behind the first");
        assertFalse(pool.extend(grown, 8 * BLOCK).isPresent());
    }

    @Test
    void doubleReleaseIsAnError() {
        KvSlotPool pool = new KvSlotPool(4 * BLOCK);
        KvSlotSpan span = pool.allocate(BLOCK).orElseThrow();
        pool.release(span);

        assertThrows(IllegalStateException.class, () -> pool.release(span));
    }

    @Test
    void spansNeverOverlapAndAllSlotsAreReleased() {
        for (long seed = 0; seed < Effort.of(50, 200); seed++) {
            Random random = new Random(seed);
            KvSlotPool pool = new KvSlotPool(16 * BLOCK);
            List<KvSlotSpan> taken = new ArrayList<>();
            for (int step = 0; step < 200; step++) {
                if (taken.isEmpty() || random.nextBoolean()) {
                    pool.allocate((1 + random.nextInt(4)) * BLOCK).ifPresent(taken::add);
                } else if (random.nextBoolean()) {
                    int index = random.nextInt(taken.size());
                    KvSlotSpan span = taken.get(index);
                    pool.extend(span, span.capacity() + BLOCK)
                            .ifPresent(larger -> taken.set(index, larger));
                } else {
                    pool.release(taken.remove(random.nextInt(taken.size())));
                }
                requireDisjoint(taken, pool, seed);
            }
            taken.forEach(pool::release);
            assertEquals(
                    16 * BLOCK, pool.allocate(16 * BLOCK).orElseThrow().capacity(), "seed " + seed);
        }
    }

    private static void requireDisjoint(List<KvSlotSpan> spans, KvSlotPool pool, long seed) {
        List<KvSlotSpan> sorted =
                spans.stream().sorted(Comparator.comparingInt(KvSlotSpan::begin)).toList();
        int end = 0;
        int sum = 0;
        for (KvSlotSpan span : sorted) {
            assertTrue(span.begin() >= end, () -> "spans overlap: " + sorted + ", seed " + seed);
            assertEquals(span.capacity(), span.end() - span.begin());
            end = span.end();
            sum += span.capacity();
        }
        assertTrue(end <= pool.slots(), "seed " + seed);
        assertEquals(pool.slots() - sum, pool.freeSlots(), "seed " + seed);
    }
}
