package dev.varve.platform.shard;

import java.util.List;

/**
 * Asks how much the queries of a slice's last tokens look for some pages of its sequence. Only a
 * shard that was loaded for that answers.
 *
 * @param slice the slice's place in the batch
 * @param pages whole pages, all of whose positions are computed
 */
public record PageQuery(int slice, List<PagePlace> pages) {
    /**
     * Most tokens of a chunk whose queries count, from its end; of rows the last one alone does.
     */
    public static final int COLUMNS = 32;

    /** Checks the slice, and copies the list. */
    public PageQuery {
        pages = List.copyOf(pages);
        if (slice < 0) {
            throw new IllegalArgumentException("slice " + slice);
        }
    }

    /**
     * A page, and where its rows are.
     *
     * @param page its name
     * @param slot first of its slots; {@value #ON_HOST} if it is in host memory alone
     */
    public record PagePlace(long page, int slot) {
        /** Of a page that lies in no slot. */
        public static final int ON_HOST = -1;

        /** Checks the name and the place. */
        public PagePlace {
            Pages.requireName(page);
            if (slot != ON_HOST) {
                Pages.requireSlot(slot);
            }
        }

        /** Whether it lies in slots. */
        public boolean isResident() {
            return slot != ON_HOST;
        }
    }
}
