package dev.varve.platform.shard;

/** Hears how far the weights are loaded. One call at a time, from any thread. */
@FunctionalInterface
public interface LoadProgress {
    /** {@code done} of {@code total} bytes are in place. */
    void loaded(long done, long total);

    /** Listens to nothing. */
    static LoadProgress silent() {
        return (done, total) -> {};
    }
}
