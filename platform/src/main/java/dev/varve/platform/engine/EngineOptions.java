package dev.varve.platform.engine;

import dev.varve.platform.shard.SlotSpan;

import java.time.Duration;

/**
 * Sizes of the engine.
 *
 * @param contextTokens most tokens of one sequence, prompt and output together
 * @param parallel most sequences decoded together
 * @param slots KV slots that all sequences share, whole blocks, at least one sequence's context
 * @param stateRows recurrent state rows, the zero row included
 * @param queueLimit most requests that wait
 * @param suppressedTokens ids that are never chosen
 * @param shardPatience how long requests wait for a lost shard that makes no progress
 */
public record EngineOptions(
        int contextTokens,
        int parallel,
        int slots,
        int stateRows,
        int queueLimit,
        int[] suppressedTokens,
        Duration shardPatience) {
    /** How long requests wait for a lost shard where nobody asked for another time. */
    public static final Duration DEFAULT_SHARD_PATIENCE = Duration.ofSeconds(30);

    public EngineOptions {
        if (contextTokens < 1 || parallel < 1 || queueLimit < 1) {
            throw new IllegalArgumentException(
                    "context, parallel and queue limit must be positive, got "
                            + contextTokens
                            + ", "
                            + parallel
                            + ", "
                            + queueLimit);
        }
        if (slots < SlotSpan.roundUp(contextTokens)) {
            throw new IllegalArgumentException(
                    "a pool of "
                            + slots
                            + " slots cannot hold one sequence of "
                            + contextTokens
                            + " tokens");
        }
        if (stateRows < rowsFor(parallel)) {
            throw new IllegalArgumentException(
                    stateRows + " state rows are too few for " + parallel + " sequences");
        }
        if (shardPatience.isNegative() || shardPatience.isZero()) {
            throw new IllegalArgumentException(
                    "patience with lost shards must be positive, got " + shardPatience);
        }
        suppressedTokens = suppressedTokens.clone();
    }

    /** The usual patience with lost shards. */
    public EngineOptions(
            int contextTokens,
            int parallel,
            int slots,
            int stateRows,
            int queueLimit,
            int[] suppressedTokens) {
        this(
                contextTokens,
                parallel,
                slots,
                stateRows,
                queueLimit,
                suppressedTokens,
                DEFAULT_SHARD_PATIENCE);
    }

    /** The same sizes with another patience. */
    public EngineOptions withShardPatience(Duration patience) {
        return new EngineOptions(
                contextTokens, parallel, slots, stateRows, queueLimit, suppressedTokens, patience);
    }

    /**
     * State rows for a number of sequences: two of each that runs, which finished ones keep until
     * the room is needed, and zero.
     */
    public static int rowsFor(int parallel) {
        return 1 + 2 * parallel;
    }

    /** Slots of a pool in which {@code parallel} sequences have their whole context. */
    public static int slotsFor(int contextTokens, int parallel) {
        return Math.multiplyExact(SlotSpan.roundUp(contextTokens), parallel);
    }

    @Override
    public int[] suppressedTokens() {
        return suppressedTokens.clone();
    }
}
