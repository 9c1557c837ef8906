package dev.varve.platform.engine;

import dev.varve.platform.shard.ShardHealth;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * How long requests wait for lost shards: as long as each of them comes closer to its return, and a
 * limit longer. Not thread-safe.
 */
final class ShardRecoveryTimeout {
    private final Duration limit;
    private final LongSupplier nanoTime;
    private final long begin;
    private final List<Watched> shards = new ArrayList<>();

    /** When the shard that has been without progress for the longest made some; at most now. */
    private long oldest;

    /** A shard at its latest step. */
    private record Watched(long steps, long nanos) {}

    /**
     * Begins with the loss of a shard.
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
     * Whether requests should wait no longer. To be asked often: progress counts from when it is
     * seen.
     *
     * @param now the health of all shards, always in the same order
     */
    boolean isOver(List<ShardHealth> now) {
        long nanos = nanoTime.getAsLong();
        boolean over = false;
        oldest = nanos;
        for (int shard = 0; shard < now.size(); shard++) {
            long steps = now.get(shard).loading().map(ShardHealth.Loading::steps).orElse(0L);
            boolean ready = now.get(shard).state() == ShardHealth.State.READY;
            if (shard == shards.size()) {
                shards.add(new Watched(steps, begin));
            } else if (ready || steps != shards.get(shard).steps()) {
                shards.set(shard, new Watched(steps, nanos));
            }
            oldest = ready ? oldest : Math.min(oldest, shards.get(shard).nanos());
            over |= !ready && nanos - shards.get(shard).nanos() > limit.toNanos();
        }
        return over;
    }

    /** How long requests have waited. */
    Duration waited() {
        return Duration.ofNanos(nanoTime.getAsLong() - begin);
    }

    /** How long they still will, unless a shard comes closer to its return. */
    Duration left() {
        Duration used = Duration.ofNanos(nanoTime.getAsLong() - oldest);
        return used.compareTo(limit) < 0 ? limit.minus(used) : Duration.ZERO;
    }
}
