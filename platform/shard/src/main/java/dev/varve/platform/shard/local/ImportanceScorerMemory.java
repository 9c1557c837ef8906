package dev.varve.platform.shard.local;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.RowLayout;

import java.util.Arrays;

/**
 * Maximum memory for reading a text, in addition to the weights and the graph of a chunk.
 *
 * @param rows bytes of K, V and compared keys of one layer
 * @param states bytes of the recurrent layers' states and of the rotations of quantised rows
 * @param activations bytes of the activations of all tokens between two layers
 * @param scores bytes of the attention probabilities of one layer
 */
record ImportanceScorerMemory(long rows, long states, long activations, long scores) {
    /** Padding that devices may need after each tensor, and the rotations, which are small. */
    private static final long MARGIN = 1 << 20;

    /**
     * @param chunk tokens that a layer processes at once
     * @param tail number of last tokens whose queries are scored
     */
    static ImportanceScorerMemory of(
            ModelRange model, CacheTypes types, int tokens, int chunk, int tail) {
        ModelShape shape = model.model().shape();
        long slots = KvSlotSpan.roundUp(tokens);
        LayerState.FullAttention state =
                shape.layers().stream()
                        .filter(LayerState.FullAttention.class::isInstance)
                        .map(LayerState.FullAttention.class::cast)
                        .findFirst()
                        .orElseThrow();
        RowLayout layout = RowLayout.of(state, types);
        long states =
                shape.layers().stream()
                        .filter(LayerState.Recurrent.class::isInstance)
                        .map(LayerState.Recurrent.class::cast)
                        .mapToLong(each -> each.convElements() + each.matrixElements())
                        .sum();
        long places = Math.ceilDiv(tokens, chunk) + 1;
        int width = activationLength(model);
        return new ImportanceScorerMemory(
                slots * (layout.bytes(1) + layout.keyBytes()),
                (ImportanceScorerState.ROW + 1) * states * Float.BYTES + MARGIN,
                places * Math.min(chunk, tokens) * width * Float.BYTES,
                // Products and probabilities of all heads, the queries, and the mask.
                tail
                        * (queryHeads(model.file(), shape)
                                        * (2 * slots + state.keyLength())
                                        * Float.BYTES
                                + slots * Short.BYTES));
    }

    /** Number of floats per token between two layers. */
    static int activationLength(ModelRange model) {
        return model.model().boundaryLength(Math.min(1, model.range().size() - 1));
    }

    /** Families may have one number for each layer, 0 without attention. */
    private static long queryHeads(GgufFile file, ModelShape shape) {
        return Arrays.stream(
                        file.metadata().integers(shape.architecture() + ".attention.head_count"))
                .max()
                .orElseThrow();
    }

    /** Sum of all parts. */
    long bytes() {
        return rows + states + activations + scores;
    }
}
