package dev.varve.platform.shard;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** The scores of pages from their key bounds, against products with the keys themselves. */
class KeyBoundsTest {
    private static final int POSITIONS = PagePoolSizing.PAGE;
    private static final int LENGTH = 8;
    private static final int HEADS = 2;
    private static final int ROW = LENGTH * HEADS;
    private static final int QUERY_HEADS = 6;
    private static final int PAGES = 20;
    private static final int POSITIONS_PER_GROUP = POSITIONS / KeyBounds.GROUPS;

    private static float[] gaussian(long seed, int count, float scale) {
        SplittableRandom random = new SplittableRandom(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = (float) random.nextGaussian() * scale;
        }
        return values;
    }

    /** Pages of small keys. */
    private static List<float[]> pages() {
        List<float[]> pages = new ArrayList<>();
        for (int page = 0; page < PAGES; page++) {
            pages.add(gaussian(100 + page, ROW * POSITIONS, 0.1f));
        }
        return pages;
    }

    /** Puts a long key in the direction of an element into a head of a position. */
    private static void put(float[] page, int position, int head, int element) {
        page[position * ROW + head * LENGTH + element] = 5;
    }

    /** Queries in the direction of element 0; one head may look for another one. */
    private static float[] queries(int other, int element) {
        float[] queries = new float[LENGTH * QUERY_HEADS];
        for (int head = 0; head < QUERY_HEADS; head++) {
            queries[head * LENGTH + (head == other ? element : 0)] = 1;
        }
        return queries;
    }

    private static float[] score(float[] queries, List<float[]> pages) {
        return KeyBounds.score(
                queries,
                QUERY_HEADS,
                LENGTH,
                HEADS,
                pages.stream().map(rows -> KeyBounds.of(rows, ROW)).toList());
    }

    /** Of those pages that may leave a pool. */
    private static int best(float[] scores) {
        int best = PagePoolSizing.SINKS;
        for (int page = best + 1; page < scores.length - PagePoolSizing.TAIL; page++) {
            best = scores[page] > scores[best] ? page : best;
        }
        return best;
    }

    @Test
    void boundsContainTheKeysOfTheirGroup() {
        float[] rows = gaussian(1, ROW * POSITIONS, 1);

        float[] bounds = KeyBounds.of(rows, ROW).orElseThrow();

        for (int position = 0; position < POSITIONS; position++) {
            int group = position / POSITIONS_PER_GROUP;
            for (int i = 0; i < ROW; i++) {
                float value = rows[position * ROW + i];
                assertTrue(bounds[2 * group * ROW + i] <= value, "least at " + position);
                assertTrue(bounds[(2 * group + 1) * ROW + i] >= value, "most at " + position);
            }
        }
    }

    @Test
    void nonFiniteKeyMakesItsPageUnknown() {
        for (float wrong : new float[] {Float.NaN, Float.NEGATIVE_INFINITY}) {
            List<float[]> pages = pages();
            pages.get(7)[3 * ROW + 2] = wrong;

            float[] scores = score(queries(-1, 0), pages);

            // Its neighbours say nothing of it either, unless they stand out.
            assertEquals(Optional.empty(), KeyBounds.of(pages.get(7), ROW));
            assertTrue(scores[8] > KeyBounds.UNKNOWN);
        }
        assertArrayEquals(
                new float[] {KeyBounds.UNKNOWN},
                KeyBounds.score(
                        queries(-1, 0), QUERY_HEADS, LENGTH, HEADS, List.of(Optional.empty())));
    }

    @Test
    void oneOutlierKeyRaisesItsPage() {
        for (int position = 0; position < POSITIONS; position++) {
            List<float[]> pages = pages();
            put(pages.get(9), position, 0, 0);

            float[] scores = score(queries(-1, 0), pages);

            assertEquals(9, best(scores), "position " + position);
        }
    }

    /** Heads 3 to 5 read the second head of the keys. */
    @Test
    void headScoresTheKeysOfItsGroupOnly() {
        List<float[]> pages = pages();
        put(pages.get(6), 20, 0, 1);
        put(pages.get(12), 20, 1, 1);

        assertEquals(12, best(score(queries(5, 1), pages)));
        assertEquals(6, best(score(queries(2, 1), pages)));
    }

    @Test
    void queryLengthDoesNotMatter() {
        List<float[]> pages = pages();
        float[] queries = gaussian(5, LENGTH * QUERY_HEADS * 3, 1);
        float[] longer = queries.clone();
        for (int i = 0; i < longer.length; i++) {
            longer[i] *= 37.5f;
        }

        assertArrayEquals(score(queries, pages), score(longer, pages), 1e-3f);
    }

    @Test
    void equalPagesHaveEqualScores() {
        List<float[]> pages = pages();
        put(pages.get(5), 30, 1, 0);
        pages.set(11, pages.get(5).clone());
        // Neighbours that stand out as much would count for the pages beside them.
        float[] scores = score(queries(-1, 0), pages);

        assertEquals(scores[5], scores[11]);
    }

    @Test
    void outlierAtAPageBorderCountsForTheNextPageToo() {
        List<float[]> pages = pages();
        put(pages.get(9), POSITIONS - 1, 0, 0);

        float[] scores = score(queries(-1, 0), pages);

        assertEquals(9, best(scores));
        scores[9] = KeyBounds.UNKNOWN;
        assertEquals(10, best(scores));
        assertTrue(scores[8] < scores[10] / 2, Arrays.toString(scores));
    }

    /** Sinks have keys that every query looks at. */
    @Test
    void pinnedPagesDoNotHideOthers() {
        List<float[]> pages = pages();
        put(pages.get(9), 20, 0, 0);
        float[] without = score(queries(-1, 0), pages);
        for (int position = 0; position < POSITIONS; position++) {
            pages.getFirst()[position * ROW] = 1000;
            pages.getLast()[position * ROW] = 1000;
        }

        float[] scores = score(queries(-1, 0), pages);

        assertEquals(without[9], scores[9]);
    }
}
