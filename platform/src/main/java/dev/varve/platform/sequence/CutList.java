package dev.varve.platform.sequence;

import dev.varve.api.backend.ComputeDevice.Phase;

import java.util.Arrays;

/**
 * How a sequence was computed: where each of its forwards ended, and in which phase. Computing it
 * again with the same cuts gives the same numbers, bit for bit.
 */
public final class CutList {
    /** Position behind the forward, times 2; plus 1 for decode. */
    private int[] cuts = new int[8];

    private int size;

    /** Takes note of a forward that ends at a position behind all others. */
    public void add(int end, Phase phase) {
        if (size == cuts.length) {
            cuts = Arrays.copyOf(cuts, 2 * size);
        }
        cuts[size++] = 2 * end + (phase == Phase.DECODE ? 1 : 0);
    }

    /**
     * The cuts up to a position.
     *
     * @throws IllegalArgumentException if no forward ends there
     */
    CutList upTo(int position) {
        int count = countUpTo(position);
        CutList result = new CutList();
        result.cuts = Arrays.copyOf(cuts, Math.max(8, count));
        result.size = count;
        if (result.end() != position) {
            throw new IllegalArgumentException("no forward ends at position " + position);
        }
        return result;
    }

    /** The last position at or before the given one at which a forward ended. */
    int floor(int position) {
        int count = countUpTo(position);
        return count == 0 ? 0 : cuts[count - 1] / 2;
    }

    /**
     * The last position at or before the given one up to which both lists are the same. In both of
     * them a forward ended there: what crosses a position was computed together with tokens behind
     * it, which gives other numbers.
     */
    int agreement(CutList other, int position) {
        int limit = Math.min(countUpTo(position), other.countUpTo(position));
        int mismatch = Arrays.mismatch(cuts, 0, limit, other.cuts, 0, limit);
        int same = mismatch < 0 ? limit : mismatch;
        return same == 0 ? 0 : cuts[same - 1] / 2;
    }

    /** Forwards that end at a position or before it. */
    private int countUpTo(int position) {
        int found = Arrays.binarySearch(cuts, 0, size, 2 * position + 1);
        return found >= 0 ? found + 1 : -found - 1;
    }

    /**
     * Lets the last forward end earlier: what it computed behind that position does not count.
     *
     * @throws IllegalArgumentException if it computed nothing before that position
     */
    void shorten(int end) {
        if (size == 0 || end > end() || end <= (size == 1 ? 0 : cuts[size - 2] / 2)) {
            throw new IllegalArgumentException("the last forward does not reach over " + end);
        }
        cuts[size - 1] = 2 * end + cuts[size - 1] % 2;
    }

    /** Position behind the last forward, 0 without one. */
    public int end() {
        return size == 0 ? 0 : cuts[size - 1] / 2;
    }

    /** End of the forward that begins at or crosses a position before {@link #end}. */
    public int next(int position) {
        return cuts[indexAfter(position)] / 2;
    }

    /** Phase of that forward. */
    public Phase phaseAt(int position) {
        return phase(indexAfter(position));
    }

    private Phase phase(int index) {
        return cuts[index] % 2 == 1 ? Phase.DECODE : Phase.PREFILL;
    }

    /** First cut behind a position; the cuts ascend. */
    private int indexAfter(int position) {
        int index = countUpTo(position);
        if (index >= size) {
            throw new IllegalArgumentException("no cut behind position " + position);
        }
        return index;
    }
}
