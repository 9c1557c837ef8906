package dev.varve.platform.grammar.regex;

/**
 * Approximate bytes of a grammar, by the object sizes of a virtual machine with compressed
 * references. The grammar's parts are permanent; results cached while reading texts can be
 * discarded. For one thread at a time.
 */
public final class Footprint {
    /** Bytes of an entry in a hash map, including its share of the table. */
    public static final int ENTRY = 40;

    private static final long MOST_PERMANENT = 20L << 20;
    private static final long MOST_CACHED = 28L << 20;

    private long permanent;
    private long cached;

    Footprint() {}

    /** Adds bytes that are held until {@link #clear}. */
    public void add(long bytes) {
        cached += bytes;
    }

    /**
     * Adds bytes that are held permanently.
     *
     * @throws GrammarLimitException if the limit is exceeded
     */
    public void addPermanent(long bytes) {
        permanent += bytes;
        if (permanent > MOST_PERMANENT) {
            throw new GrammarLimitException(
                    "the grammar is too complex: it takes more than "
                            + (MOST_PERMANENT >> 20)
                            + " MiB of memory");
        }
    }

    /** Removes the bytes of discarded caches. */
    public void clear() {
        cached = 0;
    }

    /** Returns whether so much can be discarded that it should be. */
    public boolean isFull() {
        return cached > MOST_CACHED;
    }

    /** Bytes in all. */
    public long bytes() {
        return permanent + cached;
    }

    /** Bytes of an array of references or of ints. */
    public static long array(int length) {
        return 16 + 4L * length;
    }
}
