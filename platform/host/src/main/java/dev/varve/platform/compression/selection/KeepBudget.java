package dev.varve.platform.compression.selection;

import java.util.OptionalInt;

/**
 * How much of a text shall stay. It is counted in chunks that hold a token which may be left out;
 * what is protected does not count, neither as text nor as what stays of it.
 *
 * @param keep part of the chunks that shall stay; chunks that must stay may be more than that
 * @param mostChunks chunks that may stay in any case, positive; the least important of those that
 *     must stay are left out then
 */
public record KeepBudget(KeepRatio keep, OptionalInt mostChunks) {
    /** Checks the bound. */
    public KeepBudget {
        if (mostChunks.orElse(1) < 1) {
            throw new IllegalArgumentException(
                    "most chunks: expected 1 or more, found " + mostChunks.getAsInt());
        }
    }

    /** Without a bound. */
    public static KeepBudget of(KeepRatio keep) {
        return new KeepBudget(keep, OptionalInt.empty());
    }

    /** The same with a bound. */
    public KeepBudget atMost(int chunks) {
        return new KeepBudget(keep, OptionalInt.of(chunks));
    }

    /** Chunks that shall stay of those that may be left out. */
    int wanted(int chunks) {
        return Math.min(keep.of(chunks), most(chunks));
    }

    /** Chunks that may stay of those that may be left out. */
    int most(int chunks) {
        return Math.min(chunks, mostChunks.orElse(chunks));
    }
}
