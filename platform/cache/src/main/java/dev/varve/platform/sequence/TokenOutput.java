package dev.varve.platform.sequence;

import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.ShardResult;

import java.util.Arrays;

/**
 * What the model gave for one token: where its logits begin in an array, and the best of them.
 *
 * @param logits logits of several tokens, empty if only the best one was asked for
 * @param offset first logit of the token
 * @param best the token with the largest logit, or a negative number if none is a number; only
 *     where that was asked for
 * @param rows what was asked for
 */
public record TokenOutput(float[] logits, int offset, int best, OutputRows rows) {
    /** A row of a result, valid until the next batch. */
    public static TokenOutput of(ShardResult result, int row, int vocabulary, OutputRows rows) {
        return new TokenOutput(result.logits(), row * vocabulary, result.best()[row], rows);
    }

    /** The same, valid for good. */
    public TokenOutput copy(int vocabulary) {
        return rows.isBest()
                ? new TokenOutput(new float[0], 0, best, rows)
                : new TokenOutput(
                        Arrays.copyOfRange(logits, offset, offset + vocabulary), 0, best, rows);
    }
}
