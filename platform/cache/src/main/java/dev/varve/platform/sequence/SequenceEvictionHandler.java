package dev.varve.platform.sequence;

/**
 * Listener for finished sequences that leave the caches, which can export them. Called on the
 * thread of the {@link KvCacheManager}.
 */
public interface SequenceEvictionHandler {
    /** A listener that exports nothing. */
    SequenceEvictionHandler NONE =
            new SequenceEvictionHandler() {
                @Override
                public boolean isStored(SequenceCache sequence) {
                    return false;
                }

                @Override
                public void onEvict(SequenceCache sequence) {
                    // No export.
                }

                @Override
                public void onHandOver(SequenceCache from, SequenceCache to, int shared) {
                    // No export.
                }

                @Override
                public boolean releaseRows() {
                    return false;
                }
            };

    /** Whether another tier has all tokens that a finished sequence computed. */
    boolean isStored(SequenceCache sequence);

    /** Called before a sequence's slots and rows are freed. */
    void onEvict(SequenceCache sequence);

    /**
     * Called before a sequence continues in the slots of another one. The rows after the shared
     * tokens still exist; the next batch overwrites them.
     *
     * @param shared number of leading tokens that both have
     */
    void onHandOver(SequenceCache from, SequenceCache to, int shared);

    /** Called if state rows are short: releases the held ones; returns whether there were any. */
    boolean releaseRows();
}
