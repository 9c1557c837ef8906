package dev.varve.api.model;

import java.util.List;
import java.util.Objects;

/**
 * A network beside a model that guesses its tokens, see {@link ModelFamilyProvider#openDraftHead}.
 *
 * <p>Its blocks come as a model behind one layer that keeps nothing and is never loaded; all others
 * are one shard. The row of a token takes in {@code F32 [(captures + 1) * embeddingLength]}: what
 * the token <em>before</em> it was to the captured layers, in their order, and what the blocks made
 * for the token before; either the last capture or that is zero. From the captures it keeps what
 * attention needs of the token before, so the first token of a text has no row, and the position
 * that guesses are made at is {@link ShardGraph#nextPositions}. It captures at its layer count what
 * it made, {@code F32 [embeddingLength]}, which is put in for the next guess beside the token that
 * was guessed, in the place of the same row: nothing is kept of guesses.
 *
 * <p>Grows: later versions may add to it, and what is there stays.
 *
 * @param blocks what it computes; its embedding length, its vocabulary and its context are those of
 *     the model
 * @param captures layers of the model whose input it sees, ascending; the last one is the model's
 *     layer count, which stands for what left the last layer
 */
public record DraftHead(LayerSplitAdapter blocks, List<Integer> captures) {
    /** Checks that the last layer's output is among what it sees. */
    public DraftHead {
        Objects.requireNonNull(blocks);
        captures = List.copyOf(captures);
        for (int i = 1; i < captures.size(); i++) {
            if (captures.get(i) <= captures.get(i - 1)) {
                throw new IllegalArgumentException("captures not ascending: " + captures);
            }
        }
        if (captures.isEmpty()) {
            throw new IllegalArgumentException("an assistant that sees nothing of the model");
        }
    }
}
