package dev.varve.platform.remote;

import dev.varve.platform.shard.ShardHealth;

/**
 * How far a lost shard is on its way back, over all attempts to start it again. Requests wait as
 * long as this grows, so an attempt that only repeats what failed before must not count for ever:
 * the first few count in full, since a process may be killed while it loads, and the later ones
 * where they come further than any before. Not thread-safe.
 */
final class RecoveryProgress {
    /** A shard that failed so often in loading will hardly come back by itself. */
    static final int TRUSTED_ATTEMPTS = 3;

    private int attempts;
    private long loadedBytes;
    private long totalBytes;
    private long furthestBytes;
    private long steps;

    /** A shard that worked is gone. */
    void lost() {
        attempts = 0;
        loadedBytes = 0;
        totalBytes = 0;
        furthestBytes = 0;
    }

    /** A process was reached, which has loaded nothing yet. */
    void reached() {
        attempts++;
        loadedBytes = 0;
        if (isTrusted()) {
            steps++;
        }
    }

    /** It has loaded {@code done} of {@code total} bytes. */
    void loaded(long done, long total) {
        if (done > loadedBytes && (isTrusted() || done > furthestBytes)) {
            steps++;
        }
        loadedBytes = done;
        totalBytes = total;
        furthestBytes = Math.max(furthestBytes, done);
    }

    private boolean isTrusted() {
        return attempts <= TRUSTED_ATTEMPTS;
    }

    ShardHealth.Loading status() {
        return new ShardHealth.Loading(loadedBytes, totalBytes, steps);
    }
}
