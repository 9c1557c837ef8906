package dev.varve.platform.sequence;

/**
 * Listener for the finished sequences that stay on the devices. Called on the thread of the cache.
 */
public interface FinishedSequenceListener {
    /** A listener that does nothing. */
    FinishedSequenceListener NONE =
            new FinishedSequenceListener() {
                @Override
                public void onAdd(SequenceCache sequence) {
                    // No listener.
                }

                @Override
                public void onRemove(SequenceCache sequence) {
                    // No listener.
                }
            };

    /** Called when a sequence becomes available to requests. */
    void onAdd(SequenceCache sequence);

    /** Called when a sequence is not available to requests any more. */
    void onRemove(SequenceCache sequence);
}
