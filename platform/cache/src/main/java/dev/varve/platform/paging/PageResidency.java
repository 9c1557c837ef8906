package dev.varve.platform.paging;

import dev.varve.platform.shard.PoolGeometry;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The pages of a sequence that lie in its pool, and the choice that put them there.
 *
 * @param pages by run of slots the page that lies there, ascending, and -1 in those behind the
 *     last; empty where each lies in the run of its number. Pages in another order are sorted
 * @param scores of the latest choice, by page
 * @param scoredAt computed tokens at that choice
 */
public record PageResidency(int[] pages, float[] scores, int scoredAt) {
    /** Each page lies in the run of its number. */
    public static final PageResidency STRAIGHT = new PageResidency(new int[0], new float[0], 0);

    /** Copies the arrays. */
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
     * Those of the first pages that lay in the pool, ascending.
     *
     * @param count pages
     */
    public int[] resident(int count) {
        IntStream all = pages.length == 0 ? IntStream.range(0, count) : Arrays.stream(pages);
        return all.filter(page -> page >= 0 && page < count).toArray();
    }

    @Override
    public float[] scores() {
        return scores.clone();
    }

    /** Whether a pool of some runs can hold a sequence of some pages in this way. */
    public boolean fits(int runs, int count) {
        // Pages may have been chosen for tokens that were to come.
        boolean agrees = scores.length <= count && scoredAt <= (count + 1L) * PoolGeometry.PAGE;
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
        // The page that is written next must be there.
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
