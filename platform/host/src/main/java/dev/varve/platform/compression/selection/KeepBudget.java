package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * Budget of a compression. Counts chunks that hold at least one token that may be dropped;
 * protected tokens count neither as text nor as kept.
 *
 * @param keep part of the chunks to keep; chunks that must be kept may exceed it
 * @param mostChunks hard limit for kept chunks, positive; the least important of those that must be
 *     kept are dropped beyond it
 */
public record KeepBudget(KeepRatio keep, OptionalInt mostChunks) {
    /** Checks the limit. */
    public KeepBudget {
        if (mostChunks.orElse(1) < 1) {
            throw new IllegalArgumentException(
                    "most chunks: expected 1 or more, found " + mostChunks.getAsInt());
        }
    }

    /** Creates a budget without a hard limit. */
    public static KeepBudget of(KeepRatio keep) {
        return new KeepBudget(keep, OptionalInt.empty());
    }

    /** Returns a copy with a hard limit. */
    public KeepBudget atMost(int chunks) {
        return new KeepBudget(keep, OptionalInt.of(chunks));
    }

    /** Returns the number of chunks to keep of those that may be dropped. */
    int wanted(int chunks) {
        return Math.min(keep.of(chunks), most(chunks));
    }

    /** Returns the largest number of chunks to keep of those that may be dropped. */
    int most(int chunks) {
        return Math.min(chunks, mostChunks.orElse(chunks));
    }
}
