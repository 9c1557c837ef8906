package dev.varve.platform.paging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

class PageResidencyTest {
    private static final int[] PAGES = {0, 4, -1, 3};
    private static final PageResidency SOME =
            new PageResidency(PAGES, new float[] {0.5f, -2, Float.MIN_VALUE}, 200);

    @Test
    void pagesAreSorted() {
        PageResidency found = new PageResidency(new int[] {7, -1, 3, 0, -1, 12}, new float[0], 200);

        assertEquals(new PageResidency(new int[] {0, 3, 7, 12, -1, -1}, new float[0], 200), found);
        assertTrue(Arrays.equals(new int[] {0, 3, 7}, found.resident(12)), found.toString());
        assertEquals(2, PageResidency.STRAIGHT.resident(2).length);
    }

    /** The pages may be any numbers. */
    @Test
    void pagesOutsideOfTheSequenceAreRefused() {
        SplittableRandom random = new SplittableRandom(4711);
        int fitting = 0;
        for (int round = 0; round < 10_000; round++) {
            int[] pages = random.ints(random.nextInt(12), -3, 9).toArray();

            if (new PageResidency(pages, new float[0], 0).fits(4, 5)) {
                fitting++;
                assertEquals(4, pages.length);
                assertEquals(1, Arrays.stream(pages).filter(page -> page == 4).count());
                assertTrue(Arrays.stream(pages).allMatch(page -> page >= -1 && page < 5));
            }
        }
        assertTrue(fitting > 0);
    }

    @Test
    void poolOrSequenceOfAnotherSizeIsRefused() {
        assertTrue(SOME.fits(4, 5));
        assertFalse(SOME.fits(8, 5), "of another pool");
        assertFalse(SOME.fits(3, 5), "of another pool");
        assertFalse(SOME.fits(4, 4), "page 4 is not there");
        assertFalse(SOME.fits(4, 6), "the last page must be resident");
        assertFalse(SOME.fits(4, 2), "more scores than pages");
        PageResidency late = new PageResidency(PAGES, new float[0], 6 * 64 + 1);
        assertFalse(late.fits(4, 5), "scored at tokens that are not there");
        assertTrue(new PageResidency(PAGES, new float[0], 6 * 64).fits(4, 5), "shortly ahead");
        assertFalse(SOME.fits(4, 0));
        assertFalse(PageResidency.STRAIGHT.fits(0, 0));
        assertFalse(PageResidency.STRAIGHT.fits(0, 5));
        assertFalse(new PageResidency(new int[] {0, 4, 4, 3}, new float[0], 0).fits(4, 5), "twice");
        assertFalse(new PageResidency(new int[] {0, 4, -2, 3}, new float[0], 0).fits(4, 5));
        assertTrue(new PageResidency(new int[] {-1, 4, -1, -1}, new float[0], 0).fits(4, 5));
    }

    @Test
    void arraysAreCopied() {
        int[] pages = PAGES.clone();
        float[] scores = {1};
        PageResidency residency = new PageResidency(pages, scores, 3);

        pages[0] = 9;
        scores[0] = 9;
        residency.scores()[0] = 9;

        assertEquals(new PageResidency(PAGES, new float[] {1}, 3), residency);
        assertNotEquals(new PageResidency(PAGES, new float[] {1}, 4), residency);
        assertNotEquals(new PageResidency(PAGES, new float[] {2}, 3), residency);
        assertTrue(residency.toString().contains("scored at 3"), residency.toString());
    }
}
