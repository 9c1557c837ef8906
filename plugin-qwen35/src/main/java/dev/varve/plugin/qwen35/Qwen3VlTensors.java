package dev.varve.plugin.qwen35;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;
import dev.varve.api.vision.ImagePixels;

/** Names and shapes of an image encoder's tensors. */
final class Qwen3VlTensors {
    /** Kernel of the patches for the first of two frames; a still image is both. */
    static final String FIRST_KERNEL = "v.patch_embd.weight";

    /** Kernel of the patches for the second frame. */
    static final String SECOND_KERNEL = "v.patch_embd.weight.1";

    static final String KERNEL_BIAS = "v.patch_embd.bias";
    static final String POSITIONS = "v.position_embd.weight";
    static final String LAST_NORM = "v.post_ln";
    static final String MERGER_IN = "mm.0";
    static final String MERGER_OUT = "mm.2";

    private Qwen3VlTensors() {}

    /** Name of a block's tensor, without suffix. */
    static String block(int layer, String name) {
        return "v.blk." + layer + "." + name;
    }

    static TensorSelection select(GgufFile file, Qwen3VlSizes sizes) {
        WeightSelector weights = new WeightSelector(file);
        int patch = sizes.patch();
        int width = sizes.width();
        for (String kernel : new String[] {FIRST_KERNEL, SECOND_KERNEL}) {
            weights.add(kernel, TensorUse.PATCH_KERNEL, patch, patch, ImagePixels.CHANNELS, width);
        }
        weights.vector(KERNEL_BIAS, width);
        long rows = (long) sizes.tableSide() * sizes.tableSide();
        weights.add(POSITIONS, TensorUse.COMPUTED_LOOKUP, width, rows);
        for (int layer = 0; layer < sizes.layers(); layer++) {
            norm(weights, block(layer, "ln1"), width);
            norm(weights, block(layer, "ln2"), width);
            matrix(weights, block(layer, "attn_qkv"), width, 3L * width);
            matrix(weights, block(layer, "attn_out"), width, width);
            matrix(weights, block(layer, "ffn_up"), width, sizes.inner());
            matrix(weights, block(layer, "ffn_down"), sizes.inner(), width);
        }
        norm(weights, LAST_NORM, width);
        long merged = (long) width * Qwen3VlSizes.MERGE * Qwen3VlSizes.MERGE;
        matrix(weights, MERGER_IN, merged, merged);
        matrix(weights, MERGER_OUT, merged, sizes.output());
        return weights.build();
    }

    private static void norm(WeightSelector weights, String name, long width) {
        weights.vector(name + ".weight", width);
        weights.vector(name + ".bias", width);
    }

    private static void matrix(WeightSelector weights, String name, long in, long out) {
        weights.add(name + ".weight", TensorUse.MATMUL, in, out);
        weights.vector(name + ".bias", out);
    }
}
