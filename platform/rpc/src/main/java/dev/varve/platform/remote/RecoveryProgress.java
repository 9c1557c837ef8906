package dev.varve.platform.remote;

import dev.varve.platform.shard.ShardHealth;

/**
 * Counts the loading progress of a lost shard, over all restart attempts. Requests wait as long as
 * the count grows, so repeated attempts that fail at the same point must not count without limit.
 * The first few attempts count in full, since a process may be killed while it loads; later ones
 * count only where they get further than any before. Not thread-safe.
 */
final class RecoveryProgress {
    /** A shard that failed this often while loading is unlikely to recover. */
    static final int TRUSTED_ATTEMPTS = 3;

    private int attempts;
    private long loadedBytes;
    private long totalBytes;
    private long furthestBytes;
    private long steps;

    /** Records that a working shard was lost. */
    void lost() {
        attempts = 0;
        loadedBytes = 0;
        totalBytes = 0;
        furthestBytes = 0;
    }

    /** Records that a process was reached, which has not loaded any weights. */
    void reached() {
        attempts++;
        loadedBytes = 0;
        if (isTrusted()) {
            steps++;
        }
    }

    /** Records that {@code done} of {@code total} bytes are loaded. */
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

    ShardHealth.Recovery status() {
        return new ShardHealth.Recovery(loadedBytes, totalBytes, steps);
    }
}
