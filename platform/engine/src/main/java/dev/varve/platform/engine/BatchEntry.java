package dev.varve.platform.engine;

import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.shard.ShardResult;

/**
 * What one request computes in a batch.
 *
 * @param advance its next tokens
 * @param taker what becomes of the result
 */
record BatchEntry(Request request, ScheduledTokens advance, Taker taker) {
    /** Takes in what a batch gave for one request. */
    @FunctionalInterface
    interface Taker {
        /**
         * @param row the request's first row of outputs
         * @param column the request's first token in the batch
         */
        void take(ShardResult result, int row, int column);
    }

    int tokens() {
        return advance.tokens().length;
    }

    int outputs() {
        return advance.outputs().count(tokens());
    }
}
