package dev.varve.platform.paging;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Which pages of a sequence lie in its pool, and by which choice. It is written down where a
 * sequence may go on later, so that it goes on with the same pages.
 *
 * @param pages by run of slots the page that lies there, ascending, and -1 in those behind the
 *     last; empty where each lies in the run of its number. Pages in another order, as earlier
 *     versions wrote them down, are sorted
 * @param scores of the latest choice, by page
 * @param scoredAt computed tokens at that choice
 * @param question which prompt's last tokens were looked ahead at for it; 0 if none were
 */
public record Residency(int[] pages, float[] scores, int scoredAt, long question) {
    /** Each page lies in the run of its number. */
    public static final Residency STRAIGHT = new Residency(new int[0], new float[0], 0, 0);

    /** Of its numbers, those before the pages. */
    private static final int HEAD = 4;

    /** Copies the arrays. */
    public Residency {
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

    /** As numbers, to be kept somewhere. */
    public int[] numbers() {
        if (pages.length == 0) {
            return new int[0];
        }
        int[] numbers = new int[HEAD + pages.length + scores.length];
        numbers[0] = scoredAt;
        numbers[1] = pages.length;
        numbers[2] = (int) (question >>> Integer.SIZE);
        numbers[3] = (int) question;
        System.arraycopy(pages, 0, numbers, HEAD, pages.length);
        for (int i = 0; i < scores.length; i++) {
            numbers[HEAD + pages.length + i] = Float.floatToIntBits(scores[i]);
        }
        return numbers;
    }

    /** What {@link #numbers} gave; straight if they are no such thing. */
    public static Residency of(int[] numbers) {
        if (numbers.length < HEAD
                || numbers[0] < 0
                || numbers[1] < 1
                || numbers[1] > numbers.length - HEAD) {
            return STRAIGHT;
        }
        int end = HEAD + numbers[1];
        float[] scores = new float[numbers.length - end];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = Float.intBitsToFloat(numbers[end + i]);
        }
        long question = (long) numbers[2] << Integer.SIZE | Integer.toUnsignedLong(numbers[3]);
        return new Residency(Arrays.copyOfRange(numbers, HEAD, end), scores, numbers[0], question);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Residency same && Arrays.equals(numbers(), same.numbers());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(numbers());
    }

    @Override
    public String toString() {
        return "pages " + Arrays.toString(pages) + ", scored at " + scoredAt;
    }
}
