package dev.varve.platform.shard;

import java.util.List;

/**
 * Requests scores of some pages of a sequence: how strongly the queries of a chunk's last tokens
 * attend to them. Only shards that were loaded with page scoring return them.
 *
 * @param chunkIndex index of the chunk in the batch
 * @param pages whole pages, all of whose positions are computed
 */
public record PageQuery(int chunkIndex, List<PagePlace> pages) {
    /**
     * Maximum number of tokens at the end of a chunk whose queries count; for rows only the last
     * token counts.
     */
    public static final int COLUMNS = 32;

    /** Checks the chunk, and copies the list. */
    public PageQuery {
        pages = List.copyOf(pages);
        if (chunkIndex < 0) {
            throw new IllegalArgumentException(
                    "chunk index must not be negative, got " + chunkIndex);
        }
    }

    /**
     * A page and the place of its rows.
     *
     * @param page its name
     * @param slot first of its slots; {@value #ON_HOST} if it is in host memory only
     */
    public record PagePlace(long page, int slot) {
        /** Value for a page without slots. */
        public static final int ON_HOST = -1;

        /** Checks the name and the slot. */
        public PagePlace {
            Pages.requireName(page);
            if (slot != ON_HOST) {
                Pages.requireSlot(slot);
            }
        }

        /** Whether the page is in slots. */
        public boolean isResident() {
            return slot != ON_HOST;
        }
    }
}
