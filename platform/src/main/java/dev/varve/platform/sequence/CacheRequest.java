package dev.varve.platform.sequence;

import dev.varve.platform.shard.OutputRows;

/**
 * What a sequence wants to find in the caches.
 *
 * @param tokens all that are known
 * @param replay how the tokens were computed before, if they were: only what was computed in the
 *     same way will do then
 * @param scope whose computations may be used
 * @param wanted what is needed of the last token
 */
public record CacheRequest(TokenList tokens, CutList replay, CacheScope scope, OutputRows wanted) {
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
