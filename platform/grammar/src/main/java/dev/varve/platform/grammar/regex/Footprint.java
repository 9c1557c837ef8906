package dev.varve.platform.grammar.regex;

/**
 * About how many bytes a grammar takes, by the sizes that objects have in a virtual machine with
 * short references: what it is made of lasts, what was found while reading texts can be forgotten.
 * For one thread at a time.
 */
public final class Footprint {
    /** Bytes of an entry in a hash map, its share of the table included. */
    public static final int ENTRY = 40;

    private static final long MOST_LASTING = 20L << 20;
    private static final long MOST_PASSING = 28L << 20;

    private long lasting;
    private long passing;

    Footprint() {}

    /** So much is kept until {@link #clear}. */
    public void add(long bytes) {
        passing += bytes;
    }

    /**
     * So much is kept for good.
     *
     * @throws GrammarLimitException if that is too much
     */
    public void addLasting(long bytes) {
        lasting += bytes;
        if (lasting > MOST_LASTING) {
            throw new GrammarLimitException(
                    "the grammar is too complex: it takes more than "
                            + (MOST_LASTING >> 20)
                            + " MiB of memory");
        }
    }

    /** What can be forgotten was. */
    public void clear() {
        passing = 0;
    }

    /** Whether so much can be forgotten that it should be. */
    public boolean isCrowded() {
        return passing > MOST_PASSING;
    }

    /** All together. */
    public long bytes() {
        return lasting + passing;
    }

    /** Bytes of an array of references or of ints. */
    public static long array(int length) {
        return 16 + 4L * length;
    }
}
