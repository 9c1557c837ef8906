package dev.varve.platform.engine;

import dev.varve.platform.sequence.ScheduledTokens;
import dev.varve.platform.shard.ShardResult;

/**
 * The tokens that one request adds to a batch, and the callback for the result.
 *
 * @param advance the tokens to compute
 * @param consumer receives the result
 */
record BatchEntry(Request request, ScheduledTokens advance, ResultConsumer consumer) {
    /** Receives the result of a batch for one request. */
    @FunctionalInterface
    interface ResultConsumer {
        /**
         * @param row the request's first row of outputs
         * @param column the request's first token in the batch
         */
        void accept(ShardResult result, int row, int column);
    }

    /** Returns whether the request still runs with the sequence of the tokens. */
    boolean isCurrent() {
        return request.isRunning() && request.sequence() == advance.sequence();
    }

    int tokens() {
        return advance.tokens().length;
    }

    int outputs() {
        return advance.outputs().count(tokens());
    }
}
