package dev.varve.platform.prefix;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Scores checkpoints for eviction: the tokens that a checkpoint saves if it is used again, times
 * the likelihood of that use, per byte that its eviction would free.
 */
final class EvictionScore {
    /** Time in which the likelihood of another use halves. */
    private static final double HALF_LIFE_NANOS = 30 * 60 * 1e9;

    private static final Comparator<CheckpointScore> ORDER =
            Comparator.comparingDouble(CheckpointScore::worth)
                    .thenComparingLong(rated -> rated.checkpoint().lastUse());

    private final LongSupplier clock;

    EvictionScore(LongSupplier clock) {
        this.clock = clock;
    }

    /**
     * Returns the evictable checkpoints, lowest score first; equal scores are in order of last use.
     */
    List<Checkpoint> ascending(List<Checkpoint> checkpoints) {
        long now = clock.getAsLong();
        List<CheckpointScore> rated = new ArrayList<>();
        for (Checkpoint checkpoint : checkpoints) {
            if (!checkpoint.isPinned()) {
                rated.add(new CheckpointScore(checkpoint, worth(checkpoint, now)));
            }
        }
        rated.sort(ORDER);
        return rated.stream().map(CheckpointScore::checkpoint).toList();
    }

    private record CheckpointScore(Checkpoint checkpoint, double worth) {}

    private static double worth(Checkpoint checkpoint, long now) {
        double saved = checkpoint.position() - checkpoint.positionBefore();
        double age = (now - checkpoint.lastUse()) / HALF_LIFE_NANOS;
        double chance = (1 + checkpoint.uses()) * Math.pow(0.5, age);
        return saved * chance / Math.max(1, checkpoint.bytesAlone());
    }
}
