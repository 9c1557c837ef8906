package dev.varve.platform.shard.local;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.SlotSpan;

import java.util.Arrays;

/**
 * What reading a text takes beside the weights and the graph of a chunk, at most.
 *
 * @param rows bytes of K, V and compared keys of one layer
 * @param states bytes of the recurrent layers' states and of the rotations of quantised rows
 * @param activations bytes of what all tokens hand from layer to layer
 * @param scores bytes of the shares of one layer
 */
record TextScorerMemory(long rows, long states, long activations, long scores) {
    /** Room behind each tensor that devices may want, and the rotations, which are small. */
    private static final long MARGIN = 1 << 20;

    /**
     * @param chunk tokens that go through a layer at once
     * @param tail how many of the last tokens look
     */
    static TextScorerMemory of(
            ModelRange model, CacheTypes types, int tokens, int chunk, int tail) {
        ModelShape shape = model.model().shape();
        long slots = SlotSpan.roundUp(tokens);
        LayerState.FullAttention state =
                shape.layers().stream()
                        .filter(LayerState.FullAttention.class::isInstance)
                        .map(LayerState.FullAttention.class::cast)
                        .findFirst()
                        .orElseThrow();
        long keys = types.key().rowBytes((long) state.keyLength() * state.kvHeads());
        long values = types.value().rowBytes((long) state.valueLength() * state.kvHeads());
        long states =
                shape.layers().stream()
                        .filter(LayerState.Recurrent.class::isInstance)
                        .map(LayerState.Recurrent.class::cast)
                        .mapToLong(each -> each.convElements() + each.matrixElements())
                        .sum();
        long places = Math.ceilDiv(tokens, chunk) + 1;
        int width = activationLength(model);
        return new TextScorerMemory(
                slots * (2 * keys + values),
                (TextScorerState.ROW + 1) * states * Float.BYTES + MARGIN,
                places * Math.min(chunk, tokens) * width * Float.BYTES,
                // Products and their shares of all heads, the queries, and the mask.
                tail
                        * (queryHeads(model.file(), shape)
                                        * (2 * slots + state.keyLength())
                                        * Float.BYTES
                                + slots * Short.BYTES));
    }

    /** Floats of a token that go from a layer to the next one. */
    static int activationLength(ModelRange model) {
        return model.model().boundaryLength(Math.min(1, model.range().size() - 1));
    }

    /** Families may have one number for each layer, 0 where there is no attention. */
    private static long queryHeads(GgufFile file, ModelShape shape) {
        return Arrays.stream(
                        file.metadata().integers(shape.architecture() + ".attention.head_count"))
                .max()
                .orElseThrow();
    }

    /** Sum of all. */
    long bytes() {
        return rows + states + activations + scores;
    }
}
