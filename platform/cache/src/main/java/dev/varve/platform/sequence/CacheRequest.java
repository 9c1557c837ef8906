package dev.varve.platform.sequence;

import dev.varve.platform.shard.OutputRows;

/**
 * What a sequence wants to find in the caches.
 *
 * @param tokens all that are known
 * @param promptTokens how many of them are the prompt
 * @param lastResume last position from which the prompt may resume
 * @param replay how the tokens were computed before, if they were: only what was computed in the
 *     same way will do then
 * @param scope whose computations may be used
 * @param wanted what is needed of the last token
 */
public record CacheRequest(
        TokenList tokens,
        int promptTokens,
        int lastResume,
        ChunkBoundaries replay,
        CacheScope scope,
        OutputRows wanted) {
    /** A request for a prompt of which nothing was answered. */
    public CacheRequest(
            TokenList tokens, ChunkBoundaries replay, CacheScope scope, OutputRows wanted) {
        this(tokens, tokens.size(), Integer.MAX_VALUE, replay, scope, wanted);
    }

    /** The tokens that a search looks at: up to the one that is computed first in any case. */
    public int[] searched() {
        return tokens.range(0, lastResume < tokens.size() ? lastResume + 1 : tokens.size());
    }

    /** Whether the tokens up to {@code length} were computed as they must be. */
    boolean agrees(CachedSequence resident, int length) {
        int replayed = Math.min(length, replay.end());
        return resident.cuts().agreement(replay, replayed) == replayed;
    }

    /** Whether nothing need be computed of a resident that holds exactly these tokens. */
    boolean mayTakeOutput(CachedSequence resident) {
        return replay.end() == 0
                && resident.output()
                        .filter(
                                output ->
                                        output.rows() == OutputRows.LAST
                                                || wanted == OutputRows.BEST)
                        .isPresent();
    }
}
