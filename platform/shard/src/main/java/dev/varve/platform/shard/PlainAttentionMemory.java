package dev.varve.platform.shard;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

import java.util.HashMap;
import java.util.Map;

/**
 * Memory of attention without flash attention: the scores of all heads of a chunk, and a transposed
 * copy of the values. Layers compute one after the other, so the largest one counts.
 *
 * @param selection weights of the range; they give the number of heads of a layer
 * @param shape the model
 * @param range its layers
 * @param types element types of the KV cache
 */
public record PlainAttentionMemory(
        TensorSelection selection, ModelShape shape, LayerRange range, CacheTypes types) {
    /** The input of this matrix is the attended heads side by side, in every family. */
    private static final String OUTPUT = ".attn_output.weight";

    /**
     * Additional bytes that a chunk needs.
     *
     * @param rows tokens of the chunk
     * @param slots slots that the last token attends to
     */
    public long bytes(int rows, int slots) {
        Map<String, Long> outputWidths = new HashMap<>();
        for (TensorSelection.Entry entry : selection.entries()) {
            if (entry.use() == TensorUse.MATMUL && entry.tensor().name().endsWith(OUTPUT)) {
                outputWidths.put(entry.tensor().name(), entry.tensor().ne(0));
            }
        }
        long most = 0;
        for (int layer = range.begin(); layer < range.end(); layer++) {
            LayerState state = shape.layers().get(layer);
            LayerState source =
                    state instanceof LayerState.SharedAttention shared
                            ? shape.layers().get(shared.source())
                            : state;
            if (source instanceof LayerState.Attention attention) {
                // Without that matrix, the minimum is assumed: one head for each KV head.
                long heads =
                        outputWidths.getOrDefault(
                                        "blk." + layer + OUTPUT,
                                        (long) attention.kvHeads() * attention.valueLength())
                                / attention.valueLength();
                long seen =
                        source instanceof LayerState.SlidingAttention sliding
                                ? Math.min(slots, visibleInWindow(sliding.window(), rows, slots))
                                : slots;
                long scores = Math.multiplyExact(heads * rows * Float.BYTES, seen);
                long values =
                        Math.multiplyExact(
                                types.value(attention)
                                        .rowBytes(
                                                (long) attention.kvHeads()
                                                        * attention.valueLength()),
                                seen);
                most = Math.max(most, Math.addExact(scores, values));
            }
        }
        return most;
    }

    /** A window begins and ends inside blocks, of which all slots are read. */
    private static long visibleInWindow(int window, int rows, int slots) {
        return (long) KvSlotSpan.roundUp(Math.min(window, slots))
                + KvSlotSpan.roundUp(rows)
                + KvSlotSpan.BLOCK;
    }
}
