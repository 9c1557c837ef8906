package dev.varve.platform.prefix;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * What a checkpoint is worth: the tokens that it saves if it is used again, times how likely that
 * is, per byte that would be free without it.
 */
final class EvictionScore {
    /** In which the chance of another use halves. */
    private static final double HALF_LIFE_NANOS = 30 * 60 * 1e9;

    private static final Comparator<Rated> ORDER =
            Comparator.comparingDouble(Rated::worth)
                    .thenComparingLong(rated -> rated.checkpoint().lastUse());

    private final LongSupplier clock;

    EvictionScore(LongSupplier clock) {
        this.clock = clock;
    }

    /** Those that may go, the one that is worth least first; of equals the one not used longest. */
    List<Checkpoint> ascending(List<Checkpoint> checkpoints) {
        long now = clock.getAsLong();
        List<Rated> rated = new ArrayList<>();
        for (Checkpoint checkpoint : checkpoints) {
            if (!checkpoint.isPinned()) {
                rated.add(new Rated(checkpoint, worth(checkpoint, now)));
            }
        }
        rated.sort(ORDER);
        return rated.stream().map(Rated::checkpoint).toList();
    }

    private record Rated(Checkpoint checkpoint, double worth) {}

    private static double worth(Checkpoint checkpoint, long now) {
        double saved = checkpoint.position() - checkpoint.positionBefore();
        double age = (now - checkpoint.lastUse()) / HALF_LIFE_NANOS;
        double chance = (1 + checkpoint.uses()) * Math.pow(0.5, age);
        return saved * chance / Math.max(1, checkpoint.bytesAlone());
    }
}
