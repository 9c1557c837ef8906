package dev.varve.platform.paging;

import java.util.Arrays;

/**
 * Which pages of a sequence lie in its pool, and by which choice. It is written down where a
 * sequence may go on later, so that it goes on with the same pages.
 *
 * @param pages by run of slots the page that lies there, or -1; empty where each lies in the run of
 *     its number
 * @param scores of the latest choice, by page
 * @param scoredAt computed tokens at that choice
 */
public record Residency(int[] pages, float[] scores, int scoredAt) {
    /** Each page lies in the run of its number. */
    public static final Residency STRAIGHT = new Residency(new int[0], new float[0], 0);

    /** Copies the arrays. */
    public Residency {
        pages = pages.clone();
        scores = scores.clone();
    }

    /** The page in a run, or -1. */
    public int page(int run) {
        return pages[run];
    }

    @Override
    public float[] scores() {
        return scores.clone();
    }

    /** Whether a pool of some runs can hold a sequence of some pages in this way. */
    public boolean fits(int runs, int count) {
        boolean agrees = scores.length <= count && scoredAt <= count * PoolGeometry.PAGE;
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
        int[] numbers = new int[2 + pages.length + scores.length];
        numbers[0] = scoredAt;
        numbers[1] = pages.length;
        System.arraycopy(pages, 0, numbers, 2, pages.length);
        for (int i = 0; i < scores.length; i++) {
            numbers[2 + pages.length + i] = Float.floatToIntBits(scores[i]);
        }
        return numbers;
    }

    /** What {@link #numbers} gave; straight if they are no such thing. */
    public static Residency of(int[] numbers) {
        if (numbers.length < 2
                || numbers[0] < 0
                || numbers[1] < 1
                || numbers[1] > numbers.length - 2) {
            return STRAIGHT;
        }
        int end = 2 + numbers[1];
        float[] scores = new float[numbers.length - end];
        for (int i = 0; i < scores.length; i++) {
            scores[i] = Float.intBitsToFloat(numbers[end + i]);
        }
        return new Residency(Arrays.copyOfRange(numbers, 2, end), scores, numbers[0]);
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
