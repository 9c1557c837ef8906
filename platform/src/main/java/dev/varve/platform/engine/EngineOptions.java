package dev.varve.platform.engine;

import dev.varve.platform.shard.SlotSpan;

/**
 * Sizes of the engine.
 *
 * @param contextTokens most tokens of one sequence, prompt and output together
 * @param parallel most sequences decoded together
 * @param slots KV slots that all sequences share, whole blocks, at least one sequence's context
 * @param stateRows recurrent state rows, the zero row included
 * @param queueLimit most requests that wait
 * @param suppressedTokens ids that are never chosen
 */
public record EngineOptions(
        int contextTokens,
        int parallel,
        int slots,
        int stateRows,
        int queueLimit,
        int[] suppressedTokens) {
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
        suppressedTokens = suppressedTokens.clone();
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
