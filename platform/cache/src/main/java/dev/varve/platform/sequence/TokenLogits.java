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
public record TokenLogits(float[] logits, int offset, int best, OutputRows rows) {
    /** A row of a result, valid until the next batch. */
    public static TokenLogits of(ShardResult result, int row, int vocabulary, OutputRows rows) {
        return new TokenLogits(result.logits(), row * vocabulary, result.best()[row], rows);
    }

    /** The same, valid for good. */
    public TokenLogits copy(int vocabulary) {
        return rows.isBest()
                ? new TokenLogits(new float[0], 0, best, rows)
                : new TokenLogits(
                        Arrays.copyOfRange(logits, offset, offset + vocabulary), 0, best, rows);
    }
}
