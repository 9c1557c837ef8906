package dev.varve.platform.sequence;

/**
 * Hears of finished sequences that leave the caches, to keep what they computed elsewhere. Called
 * on the thread of the {@link KvCacheManager}.
 */
public interface EvictionListener {
    /** Nothing is kept elsewhere. */
    EvictionListener UNHEARD =
            new EvictionListener() {
                @Override
                public boolean keeps(CachedSequence sequence) {
                    return false;
                }

                @Override
                public void leaves(CachedSequence sequence) {
                    // It is gone.
                }

                @Override
                public void handedOver(CachedSequence from, CachedSequence to, int shared) {
                    // It goes on.
                }

                @Override
                public boolean releaseRows() {
                    return false;
                }
            };

    /** Whether all that a finished sequence computed is kept elsewhere by now. */
    boolean keeps(CachedSequence sequence);

    /** A sequence's slots and rows are about to be freed. */
    void leaves(CachedSequence sequence);

    /**
     * A sequence is about to continue in the place of another one. Rows behind the shared tokens
     * are still there, and are overwritten by the next batch.
     *
     * @param shared leading tokens that both have
     */
    void handedOver(CachedSequence from, CachedSequence to, int shared);

    /** State rows are short: gives back those that are held; says whether there were any. */
    boolean releaseRows();
}
