package dev.varve.platform.compression.selection;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Positions of each token in the beginning of a text. Immutable. */
final class TokenOccurrences {
    private static final long POSITION = (1L << Integer.SIZE) - 1;

    /** Ids in the upper half and positions in the lower half, ascending. */
    private final long[] sorted;

    /**
     * @param end number of tokens that count
     */
    TokenOccurrences(int[] ids, int end) {
        sorted = new long[end];
        for (int at = 0; at < end; at++) {
            sorted[at] = (long) ids[at] << Integer.SIZE | at;
        }
        Arrays.sort(sorted);
    }

    /** Returns how often a token occurs. */
    int count(int id) {
        return end(id) - begin(id);
    }

    /** Returns the positions of a token, ascending. */
    int[] of(int id) {
        return Arrays.stream(sorted, begin(id), end(id))
                .mapToInt(entry -> (int) (entry & POSITION))
                .toArray();
    }

    /**
     * A token and how often it occurs.
     *
     * @param count positive
     */
    record Count(int id, int count) {}

    /** Returns all tokens with their counts, ordered by id. */
    List<Count> counts() {
        List<Count> counts = new ArrayList<>();
        int begin = 0;
        while (begin < sorted.length) {
            int id = (int) (sorted[begin] >> Integer.SIZE);
            int end = end(id);
            counts.add(new Count(id, end - begin));
            begin = end;
        }
        return counts;
    }

    /** Returns the index of the first entry of an id. */
    private int begin(int id) {
        return place((long) id << Integer.SIZE);
    }

    /**
     * Returns the index behind the last entry of an id; no text is long enough to reach the largest
     * position.
     */
    private int end(int id) {
        return place((long) id << Integer.SIZE | POSITION);
    }

    private int place(long entry) {
        int found = Arrays.binarySearch(sorted, entry);
        return found < 0 ? -found - 1 : found;
    }
}
