package dev.varve.platform.paging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.Arrays;
import java.util.SplittableRandom;

class ResidencyTest {
    private static final int[] PAGES = {0, 4, -1, 3};
    private static final Residency SOME =
            new Residency(PAGES, new float[] {0.5f, -2, Float.MIN_VALUE}, 200, -5);

    @Test
    void whatWasWrittenIsRead() {
        SplittableRandom random = new SplittableRandom(4711);
        for (int round = 0; round < 500; round++) {
            int[] pages = random.ints(random.nextInt(1, 20), -1, 1000).toArray();
            float[] scores = new float[random.nextInt(30)];
            for (int i = 0; i < scores.length; i++) {
                scores[i] = (float) random.nextGaussian();
            }
            Residency residency =
                    new Residency(pages, scores, random.nextInt(1 << 20), random.nextLong());

            Residency found = Residency.of(residency.numbers());

            assertEquals(residency, found);
            assertEquals(residency.hashCode(), found.hashCode());
            assertArray(scores, found.scores());
            assertEquals(residency.scoredAt(), found.scoredAt());
            assertEquals(
                    Arrays.stream(pages).filter(page -> page >= 0).sorted().boxed().toList(),
                    Arrays.stream(found.resident(1000)).boxed().toList());
        }
        assertEquals(Residency.STRAIGHT, Residency.of(Residency.STRAIGHT.numbers()));
        assertEquals(0, Residency.STRAIGHT.numbers().length);
    }

    private static void assertArray(float[] expected, float[] found) {
        assertTrue(Arrays.equals(expected, found), Arrays.toString(found));
    }

    /** Earlier versions wrote down the pages in the order of their places. */
    @Test
    void pagesInAnotherOrderAreSorted() {
        int[] numbers = {200, 6, 0, 0, 7, -1, 3, 0, -1, 12};

        Residency found = Residency.of(numbers);

        assertEquals(new Residency(new int[] {0, 3, 7, 12, -1, -1}, new float[0], 200, 0), found);
        assertTrue(Arrays.equals(new int[] {0, 3, 7}, found.resident(12)), found.toString());
        assertEquals(found, Residency.of(found.numbers()));
        assertEquals(2, Residency.STRAIGHT.resident(2).length);
    }

    /** A file may hold anything; what makes no sense is taken for nothing special. */
    @Test
    void anyNumbersAreRead() {
        for (int[] wrong :
                new int[][] {
                    {},
                    {7},
                    {7, 0},
                    {7, 1},
                    {-1, 1, 0},
                    {7, -1, 0},
                    {7, 2, 0},
                    {7, Integer.MAX_VALUE, 0},
                    {7, Integer.MIN_VALUE, 0},
                    {7, 1, 0, 0},
                    {7, 2, 0, 0, 0}
                }) {
            assertEquals(Residency.STRAIGHT, Residency.of(wrong), Arrays.toString(wrong));
        }
        SplittableRandom random = new SplittableRandom(4711);
        for (int round = 0; round < 10_000; round++) {
            int[] numbers = random.ints(random.nextInt(12), -3, 9).toArray();

            Residency found = Residency.of(numbers);

            // Whatever it is, it is either refused or holds what it must.
            if (found.fits(4, 5)) {
                assertEquals(1, Arrays.stream(numbers, 4, 8).filter(page -> page == 4).count());
            }
        }
    }

    @Test
    void aPoolOfOtherRunsOrASequenceOfOtherPagesCannotHoldIt() {
        assertTrue(SOME.fits(4, 5));
        assertFalse(SOME.fits(8, 5), "of another pool");
        assertFalse(SOME.fits(3, 5), "of another pool");
        assertFalse(SOME.fits(4, 4), "page 4 is not there");
        assertFalse(SOME.fits(4, 6), "the last page must be resident");
        assertFalse(SOME.fits(4, 2), "more scores than pages");
        Residency late = new Residency(PAGES, new float[0], 6 * 64 + 1, 0);
        assertFalse(late.fits(4, 5), "scored at tokens that are not there");
        assertTrue(new Residency(PAGES, new float[0], 6 * 64, 0).fits(4, 5), "shortly ahead");
        assertFalse(SOME.fits(4, 0));
        assertFalse(Residency.STRAIGHT.fits(0, 0));
        assertFalse(Residency.STRAIGHT.fits(0, 5));
        assertFalse(new Residency(new int[] {0, 4, 4, 3}, new float[0], 0, 0).fits(4, 5), "twice");
        assertFalse(new Residency(new int[] {0, 4, -2, 3}, new float[0], 0, 0).fits(4, 5));
        assertTrue(new Residency(new int[] {-1, 4, -1, -1}, new float[0], 0, 0).fits(4, 5));
    }

    @Test
    void itsArraysAreItsOwn() {
        int[] pages = PAGES.clone();
        float[] scores = {1};
        Residency residency = new Residency(pages, scores, 3, 1);

        pages[0] = 9;
        scores[0] = 9;
        residency.scores()[0] = 9;

        assertEquals(new Residency(PAGES, new float[] {1}, 3, 1), residency);
        assertNotEquals(new Residency(PAGES, new float[] {1}, 4, 1), residency);
        assertNotEquals(new Residency(PAGES, new float[] {2}, 3, 1), residency);
        assertTrue(residency.toString().contains("scored at 3"), residency.toString());
    }
}
