package dev.varve.platform.shard;

/** Constants and checks for pages. */
public final class Pages {
    /** Positions of a page, which occupy as many consecutive slots. */
    public static final int TOKENS = PagePoolSizing.PAGE;

    private Pages() {}

    static void requireName(long page) {
        if (page < 1) {
            throw new IllegalArgumentException("page number must be positive, got " + page);
        }
    }

    static void requireSlot(int slot) {
        if (slot < 0 || slot % TOKENS != 0 || slot > Integer.MAX_VALUE - TOKENS) {
            throw new IllegalArgumentException(
                    "the slot of a page must be a multiple of " + TOKENS + ", got " + slot);
        }
    }
}
