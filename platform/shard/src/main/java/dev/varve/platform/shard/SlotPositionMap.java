package dev.varve.platform.shard;

import java.util.Arrays;

/**
 * Map from the slots of a sequence's span to positions, page by page. A span with each position in
 * the slot of the same number needs no map.
 */
public final class SlotPositionMap {
    /** Position p is in slot p of the span. */
    public static final SlotPositionMap STRAIGHT = new SlotPositionMap(new int[0]);

    /** The slots hold no page. */
    public static final int EMPTY = -1;

    /** Page number of each run of slots in the span. */
    private final int[] pages;

    private SlotPositionMap(int[] pages) {
        this.pages = pages;
    }

    /**
     * Creates a map.
     *
     * @param pages for each {@link Pages#TOKENS} slots of the span the number of the page, counted
     *     from the sequence's beginning, or {@value #EMPTY}
     * @throws IllegalArgumentException if a page occurs twice
     */
    public static SlotPositionMap of(int[] pages) {
        int[] sorted = pages.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            boolean twice = i > 0 && sorted[i] == sorted[i - 1] && sorted[i] != EMPTY;
            if (twice || sorted[i] < EMPTY || sorted[i] > Integer.MAX_VALUE / Pages.TOKENS - 1) {
                throw new IllegalArgumentException("invalid or repeated page " + sorted[i]);
            }
        }
        return new SlotPositionMap(pages.clone());
    }

    /** Whether each position is in the slot of the same number. */
    public boolean isStraight() {
        return pages.length == 0;
    }

    /**
     * Whether slots are in the order of their positions: straight, or with pages in ascending
     * order, from the first run on and without a gap. Attention over such slots sums in the order
     * of positions.
     */
    public boolean isInOrder() {
        for (int run = 1; run < pages.length; run++) {
            if (pages[run] != EMPTY && pages[run] <= pages[run - 1]
                    || pages[run] != EMPTY && pages[run - 1] == EMPTY) {
                return false;
            }
        }
        return true;
    }

    /**
     * Number of slots that hold pages of positions up to the given one; in a straight map, of slots
     * up to the end of its page.
     */
    public int slotsUpTo(int position) {
        int last = position / Pages.TOKENS;
        int count = last + 1;
        if (!isStraight()) {
            count = 0;
            for (int page : pages) {
                count += page != EMPTY && page <= last ? 1 : 0;
            }
        }
        return count * Pages.TOKENS;
    }

    /** Number of runs of slots in the map; 0 if it is {@linkplain #isStraight straight}. */
    public int size() {
        return pages.length;
    }

    /** The page in a run of slots, or {@value #EMPTY}. */
    public int page(int run) {
        return pages[run];
    }

    /**
     * Returns the slot of a position, counted from the span's first.
     *
     * @throws IllegalArgumentException if the position has no slot
     */
    public int offset(int position) {
        if (isStraight()) {
            return position;
        }
        int page = position / Pages.TOKENS;
        for (int run = 0; run < pages.length; run++) {
            if (pages[run] == page) {
                return run * Pages.TOKENS + position % Pages.TOKENS;
            }
        }
        throw new IllegalArgumentException("position " + position + " has no slot");
    }

    /** Whether a position has a slot. */
    public boolean holds(int position) {
        if (isStraight()) {
            return true;
        }
        int page = position / Pages.TOKENS;
        for (int each : pages) {
            if (each == page) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SlotPositionMap map && Arrays.equals(pages, map.pages);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(pages);
    }

    @Override
    public String toString() {
        return isStraight() ? "straight" : Arrays.toString(pages);
    }
}
