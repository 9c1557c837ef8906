package dev.varve.platform.engine;

import dev.varve.api.backend.ComputeDevice.Phase;

import java.util.Arrays;

/**
 * How a sequence was computed: where each of its forwards ended, and in which phase. Computing it
 * again with the same cuts gives the same numbers, bit for bit.
 */
final class CutList {
    /** Position behind the forward, times 2; plus 1 for decode. */
    private int[] cuts = new int[8];

    private int size;

    void add(int end, Phase phase) {
        if (size == cuts.length) {
            cuts = Arrays.copyOf(cuts, 2 * size);
        }
        cuts[size++] = 2 * end + (phase == Phase.DECODE ? 1 : 0);
    }

    /** The cuts up to a position; the forward that crosses it ends there. */
    CutList upTo(int position) {
        CutList result = new CutList();
        for (int i = 0; i < size && result.end() < position; i++) {
            result.add(Math.min(position, cuts[i] / 2), phase(i));
        }
        return result;
    }

    /** Whether both lists are the same up to a position that both reach. */
    boolean agrees(CutList other, int position) {
        CutList mine = upTo(position);
        CutList theirs = other.upTo(position);
        return Arrays.equals(mine.cuts, 0, mine.size, theirs.cuts, 0, theirs.size);
    }

    /** Position behind the last forward, 0 without one. */
    int end() {
        return size == 0 ? 0 : cuts[size - 1] / 2;
    }

    /** End of the forward that begins at or crosses a position before {@link #end}. */
    int next(int position) {
        return cuts[indexAfter(position)] / 2;
    }

    /** Phase of that forward. */
    Phase phaseAt(int position) {
        return phase(indexAfter(position));
    }

    private Phase phase(int index) {
        return cuts[index] % 2 == 1 ? Phase.DECODE : Phase.PREFILL;
    }

    /** First cut behind a position; the cuts ascend. */
    private int indexAfter(int position) {
        int found = Arrays.binarySearch(cuts, 0, size, 2 * position + 1);
        int index = found >= 0 ? found + 1 : -found - 1;
        if (index >= size) {
            throw new IllegalArgumentException("no cut behind position " + position);
        }
        return index;
    }
}
