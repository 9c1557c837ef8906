package dev.varve.platform.paging;

import dev.varve.platform.shard.PagePoolSizing;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Resident pages of a sequence's pool, and the choice that selected them.
 *
 * @param pages page of each run of slots, ascending, and -1 in the empty runs at the end; empty if
 *     each page lies in the run of its number. Pages in another order are sorted
 * @param scores of the latest choice, by page
 * @param scoredAt computed tokens at that choice
 */
public record PageResidency(int[] pages, float[] scores, int scoredAt) {
    /** Residency in which each page lies in the run of its number. */
    public static final PageResidency STRAIGHT = new PageResidency(new int[0], new float[0], 0);

    /** Sorts the pages and copies the arrays. */
    public PageResidency {
        pages = sorted(pages);
        scores = scores.clone();
    }

    /** Sorts pages ascending; empty runs come last. */
    private static int[] sorted(int[] pages) {
        return Arrays.stream(pages)
                .map(page -> page + Integer.MIN_VALUE)
                .sorted()
                .map(page -> page + Integer.MIN_VALUE)
                .toArray();
    }

    /**
     * Resident pages among the first ones, ascending.
     *
     * @param count number of pages
     */
    public int[] resident(int count) {
        IntStream all = pages.length == 0 ? IntStream.range(0, count) : Arrays.stream(pages);
        return all.filter(page -> page >= 0 && page < count).toArray();
    }

    @Override
    public float[] scores() {
        return scores.clone();
    }

    /** Whether a pool of some runs can hold a sequence of some pages with this residency. */
    public boolean fits(int runs, int count) {
        // The choice may have been made for tokens that were not computed yet.
        boolean agrees = scores.length <= count && scoredAt <= (count + 1L) * PagePoolSizing.PAGE;
        if (pages.length != runs || !agrees || runs == 0) {
            return false;
        }
        boolean[] seen = new boolean[count];
        for (int page : pages) {
            if (page < -1 || page >= count || page >= 0 && seen[page]) {
                return false;
            }
            if (page >= 0) {
                seen[page] = true;
            }
        }
        // The page that is written next must be resident.
        return count > 0 && seen[count - 1];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PageResidency same
                && Arrays.equals(pages, same.pages)
                && Arrays.equals(scores, same.scores)
                && scoredAt == same.scoredAt;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * Arrays.hashCode(pages) + Arrays.hashCode(scores)) + scoredAt;
    }

    @Override
    public String toString() {
        return "pages " + Arrays.toString(pages) + ", scored at " + scoredAt;
    }
}
