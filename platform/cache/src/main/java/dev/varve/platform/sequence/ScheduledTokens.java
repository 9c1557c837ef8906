package dev.varve.platform.sequence;

import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.TokenTree;

/**
 * Tokens of one sequence to compute next.
 *
 * @param sequence sequence of the tokens
 * @param id identifier of the sequence at the shards
 * @param tokens the tokens after its computed ones, at least one; must not be modified
 * @param outputs requested outputs
 * @param kind kind of the chunk
 * @param savesCheckpoint whether the state after them becomes the sequence's checkpoint, in place
 *     of an older one
 * @param draftTokens number of draft tokens, at the end; then {@link KvCacheManager#accept} must be
 *     called with the accepted ones before anything else is computed of the sequence
 * @param tree which of the tokens each one follows
 * @param reserved position up to which slots are reserved: the end of the tokens, or of the window
 *     of which they are a piece
 */
public record ScheduledTokens(
        SequenceCache sequence,
        long id,
        int[] tokens,
        RequestedOutput outputs,
        ChunkKind kind,
        boolean savesCheckpoint,
        int draftTokens,
        TokenTree tree,
        int reserved) {
    /** Creates tokens that may branch. */
    public ScheduledTokens(
            SequenceCache sequence,
            long id,
            int[] tokens,
            RequestedOutput outputs,
            ChunkKind kind,
            boolean keepState,
            int guessed,
            TokenTree tree) {
        this(
                sequence,
                id,
                tokens,
                outputs,
                kind,
                keepState,
                guessed,
                tree,
                sequence.computed() + tokens.length);
    }

    /** Returns the same tokens as a piece of a window that ends at a position. */
    public ScheduledTokens reserving(int windowEnd) {
        return new ScheduledTokens(
                sequence,
                id,
                tokens,
                outputs,
                kind,
                savesCheckpoint,
                draftTokens,
                tree,
                Math.max(windowEnd, end()));
    }

    /** Creates consecutive tokens. */
    public ScheduledTokens(
            SequenceCache sequence,
            long id,
            int[] tokens,
            RequestedOutput outputs,
            ChunkKind kind,
            boolean keepState,
            int guessed) {
        this(sequence, id, tokens, outputs, kind, keepState, guessed, TokenTree.CHAIN);
    }

    /** Creates tokens whose state is not kept. */
    public ScheduledTokens(
            SequenceCache sequence,
            long id,
            int[] tokens,
            RequestedOutput outputs,
            ChunkKind kind) {
        this(sequence, id, tokens, outputs, kind, false, 0);
    }

    /** Position after the tokens. */
    int end() {
        return sequence.computed() + tokens.length;
    }
}
