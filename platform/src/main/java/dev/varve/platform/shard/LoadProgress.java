package dev.varve.platform.shard;

/** Hears how far the weights are loaded. Called from the loading thread. */
@FunctionalInterface
public interface LoadProgress {
    /** {@code done} of {@code total} bytes are in place. */
    void loaded(long done, long total);

    /** Listens to nothing. */
    static LoadProgress silent() {
        return (done, total) -> {};
    }
}
