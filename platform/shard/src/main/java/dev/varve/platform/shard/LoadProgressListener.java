package dev.varve.platform.shard;

/** Listener for the progress of loading weights. Called from any thread, one call at a time. */
@FunctionalInterface
public interface LoadProgressListener {
    /** Reports that {@code done} of {@code total} bytes are loaded. */
    void loaded(long done, long total);

    /** Returns a listener that does nothing. */
    static LoadProgressListener silent() {
        return (done, total) -> {};
    }
}
