package dev.varve.platform.engine;

import dev.varve.platform.shard.ShardHealth;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Limits how long requests wait for lost shards: until one of them has made no progress for a given
 * time. Not thread-safe.
 */
final class ShardRecoveryTimeout {
    private final Duration limit;
    private final LongSupplier nanoTime;
    private final long begin;
    private final List<LastProgress> shards = new ArrayList<>();

    /**
     * Time of the last progress of the shard that has made none for the longest time; at most now.
     */
    private long oldest;

    /** Loading steps of a shard, and the time of the latest one in ns. */
    private record LastProgress(long steps, long nanos) {}

    /**
     * Starts at the loss of a shard.
     *
     * @param nanoTime the clock, such as {@link System#nanoTime}
     */
    ShardRecoveryTimeout(Duration limit, LongSupplier nanoTime) {
        this.limit = limit;
        this.nanoTime = nanoTime;
        begin = nanoTime.getAsLong();
        oldest = begin;
    }

    /**
     * Returns whether requests should wait no longer. Must be called often: progress is dated to
     * the call that detects it.
     *
     * @param now the health of all shards, always in the same order
     */
    boolean isOver(List<ShardHealth> now) {
        long nanos = nanoTime.getAsLong();
        boolean over = false;
        oldest = nanos;
        for (int shard = 0; shard < now.size(); shard++) {
            long steps = now.get(shard).loading().map(ShardHealth.Recovery::steps).orElse(0L);
            boolean ready = now.get(shard).state() == ShardHealth.State.READY;
            if (shard == shards.size()) {
                shards.add(new LastProgress(steps, begin));
            } else if (ready || steps != shards.get(shard).steps()) {
                shards.set(shard, new LastProgress(steps, nanos));
            }
            oldest = ready ? oldest : Math.min(oldest, shards.get(shard).nanos());
            over |= !ready && nanos - shards.get(shard).nanos() > limit.toNanos();
        }
        return over;
    }

    /** Returns how long requests have waited. */
    Duration waited() {
        return Duration.ofNanos(nanoTime.getAsLong() - begin);
    }

    /** Returns the remaining time, unless a shard makes progress. */
    Duration left() {
        Duration used = Duration.ofNanos(nanoTime.getAsLong() - oldest);
        return used.compareTo(limit) < 0 ? limit.minus(used) : Duration.ZERO;
    }
}
