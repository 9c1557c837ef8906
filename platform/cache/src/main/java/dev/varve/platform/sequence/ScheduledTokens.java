package dev.varve.platform.sequence;

import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.TokenTree;

/**
 * Tokens to compute next of one sequence.
 *
 * @param sequence whose tokens they are
 * @param id what the shards call it
 * @param tokens what follows its computed tokens, at least one; not to be modified
 * @param outputs what is wanted of them
 * @param stretch what they are to the sequence
 * @param keepState whether the state behind them is kept as the sequence's checkpoint, in place of
 *     an older one
 * @param guessed how many of the tokens, at their end, may turn out not to be the sequence's; then
 *     {@link KvCacheManager#accept} must be told which are before anything else is computed of it
 * @param tree which of the tokens each one follows
 * @param reserved position up to which slots are seen to: behind the tokens, or behind the window
 *     of which they are a piece
 */
public record ScheduledTokens(
        CachedSequence sequence,
        long id,
        int[] tokens,
        OutputRows outputs,
        ChunkKind stretch,
        boolean keepState,
        int guessed,
        TokenTree tree,
        int reserved) {
    /** Tokens that may branch. */
    public ScheduledTokens(
            CachedSequence sequence,
            long id,
            int[] tokens,
            OutputRows outputs,
            ChunkKind stretch,
            boolean keepState,
            int guessed,
            TokenTree tree) {
        this(
                sequence,
                id,
                tokens,
                outputs,
                stretch,
                keepState,
                guessed,
                tree,
                sequence.computed() + tokens.length);
    }

    /** The same as a piece of a window that ends at a position. */
    public ScheduledTokens reserving(int windowEnd) {
        return new ScheduledTokens(
                sequence,
                id,
                tokens,
                outputs,
                stretch,
                keepState,
                guessed,
                tree,
                Math.max(windowEnd, end()));
    }

    /** Tokens one after the other. */
    public ScheduledTokens(
            CachedSequence sequence,
            long id,
            int[] tokens,
            OutputRows outputs,
            ChunkKind stretch,
            boolean keepState,
            int guessed) {
        this(sequence, id, tokens, outputs, stretch, keepState, guessed, TokenTree.CHAIN);
    }

    /** Tokens whose state need not be kept. */
    public ScheduledTokens(
            CachedSequence sequence, long id, int[] tokens, OutputRows outputs, ChunkKind stretch) {
        this(sequence, id, tokens, outputs, stretch, false, 0);
    }

    /** Position behind the tokens. */
    int end() {
        return sequence.computed() + tokens.length;
    }
}
