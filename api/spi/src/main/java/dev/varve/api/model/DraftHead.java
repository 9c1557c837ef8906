package dev.varve.api.model;

import java.util.List;
import java.util.Objects;

/**
 * A network that drafts tokens for a model, loaded beside it, see {@link
 * ModelFamilyProvider#openDraftHead}.
 *
 * <p>Its blocks are presented as a model behind one layer that keeps no state and is never loaded;
 * all other layers are one shard. The input row of a token is {@code F32 [(captures + 1) *
 * embeddingLength]}: the captured hidden states of the <em>previous</em> token, in the order of the
 * layers, and the output of the blocks for the previous token; either the last capture or that
 * output is zero. From the captures the network keeps what attention needs of the previous token.
 * Therefore the first token of a text has no row, and drafts are made at the position {@link
 * ShardGraph#nextPositions}. At its layer count it captures its own output, {@code F32
 * [embeddingLength]}. That output and the draft token are the input of the next draft step, in the
 * same row: no state of draft tokens is kept.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 *
 * @param blocks the network; its embedding length, its vocabulary and its context are those of the
 *     model
 * @param captures layers of the model whose input it reads, ascending; the last one is the model's
 *     layer count, which stands for the last layer's output
 */
public record DraftHead(LayerSplitAdapter blocks, List<Integer> captures) {
    /** Checks that the captures ascend and that there is at least one. */
    public DraftHead {
        Objects.requireNonNull(blocks);
        captures = List.copyOf(captures);
        for (int i = 1; i < captures.size(); i++) {
            if (captures.get(i) <= captures.get(i - 1)) {
                throw new IllegalArgumentException("captures must ascend, got " + captures);
            }
        }
        if (captures.isEmpty()) {
            throw new IllegalArgumentException(
                    "a draft head must read at least one feature of the model");
        }
    }
}
