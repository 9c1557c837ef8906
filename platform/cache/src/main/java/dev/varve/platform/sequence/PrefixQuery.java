package dev.varve.platform.sequence;

import dev.varve.platform.shard.RequestedOutput;

/**
 * A lookup of a sequence in the caches.
 *
 * @param tokens all known tokens
 * @param promptTokens how many of them are the prompt
 * @param lastResume last position from which the prompt may resume
 * @param replay chunk boundaries with which the tokens were computed before, if they were: only a
 *     prefix with the same ones may be used then
 * @param scope scope of the reusable sequences
 * @param requestedOutput output that is needed of the last token
 */
public record PrefixQuery(
        TokenList tokens,
        int promptTokens,
        int lastResume,
        ChunkHistory replay,
        CacheScope scope,
        RequestedOutput requestedOutput) {
    /** Creates a lookup for a prompt without generated tokens. */
    public PrefixQuery(
            TokenList tokens, ChunkHistory replay, CacheScope scope, RequestedOutput wanted) {
        this(tokens, tokens.size(), Integer.MAX_VALUE, replay, scope, wanted);
    }

    /** Tokens that a lookup compares: up to the one that is computed first in any case. */
    public int[] searched() {
        return tokens.range(0, lastResume < tokens.size() ? lastResume + 1 : tokens.size());
    }

    /** Whether the tokens up to {@code length} have the required chunk boundaries. */
    boolean agrees(SequenceCache resident, int length) {
        int replayed = Math.min(length, replay.end());
        return resident.chunkHistory().agreement(replay, replayed) == replayed;
    }

    /** Whether the kept output of a resident with exactly these tokens is sufficient. */
    boolean mayReuseOutput(SequenceCache resident) {
        return replay.end() == 0
                && resident.output()
                        .filter(
                                output ->
                                        output.rows() == RequestedOutput.LAST
                                                || requestedOutput == RequestedOutput.BEST)
                        .isPresent();
    }
}
