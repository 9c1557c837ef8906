package dev.varve.platform.sequence;

/** Hears which finished sequences stay on the devices. Called on the cache's thread. */
public interface ResidentSequenceListener {
    /** Nobody wants to know. */
    ResidentSequenceListener NONE =
            new ResidentSequenceListener() {
                @Override
                public void stays(CachedSequence sequence) {
                    // Nobody wants to know.
                }

                @Override
                public void leaves(CachedSequence sequence) {
                    // Nobody wants to know.
                }
            };

    /** A sequence can be gone on with from now on. */
    void stays(CachedSequence sequence);

    /** A sequence cannot be gone on with any more. */
    void leaves(CachedSequence sequence);
}
