package dev.varve.platform.sequence;

import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.TopTokens;

import java.util.Arrays;
import java.util.Optional;

/**
 * Output of the model for one token: the offset of its logits in an array, and the best token.
 *
 * @param logits logits of several tokens, empty if only the best token was requested
 * @param offset first logit of the token
 * @param best the token with the largest logit, or a negative number if no logit is a number; only
 *     valid if it was requested
 * @param top the tokens with the largest logits; if present, the logits are undefined
 * @param rows requested output
 */
public record TokenLogits(
        float[] logits, int offset, int best, Optional<TopTokens> top, RequestedOutput rows) {
    /** Creates an output without the best tokens. */
    public TokenLogits(float[] logits, int offset, int best, RequestedOutput rows) {
        this(logits, offset, best, Optional.empty(), rows);
    }

    /** Creates a view of one row of a result, valid until the next batch. */
    public static TokenLogits of(
            ShardResult result, int row, int vocabulary, RequestedOutput rows) {
        return new TokenLogits(
                result.logits(),
                row * vocabulary,
                result.best()[row],
                Optional.ofNullable(result.top().get(row)),
                rows);
    }

    /** Returns a copy that stays valid, of the best token or of logits. */
    public TokenLogits copy(int vocabulary) {
        return rows.isBest()
                ? new TokenLogits(new float[0], 0, best, rows)
                : new TokenLogits(
                        Arrays.copyOfRange(logits, offset, offset + vocabulary), 0, best, rows);
    }
}
