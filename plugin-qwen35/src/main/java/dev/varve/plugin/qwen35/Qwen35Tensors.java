package dev.varve.plugin.qwen35;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;

/**
 * The tensors of a {@code qwen35} file: names, shapes and who uses them. All are checked when the
 * model is opened.
 */
final class Qwen35Tensors {
    private final GgufFile file;
    private final Qwen35Sizes sizes;

    Qwen35Tensors(GgufFile file, Qwen35Sizes sizes) {
        this.file = file;
        this.sizes = sizes;
        select(new LayerRange(0, sizes.layers()));
    }

    /** Prefix of the names of a layer's tensors. */
    static String block(int layer, String name) {
        return "blk." + layer + "." + name;
    }

    /**
     * Name of the output head, without suffix; the embedding table where the head is tied to it.
     */
    String head() {
        return file.tensor("output.weight").isPresent() ? "output" : "token_embd";
    }

    /** Whether a full attention layer has its three projections in one matrix. */
    boolean isFused(int layer) {
        return file.tensor(block(layer, "attn_qkv.weight")).isPresent();
    }

    TensorSelection select(LayerRange range) {
        Selector selector = new Selector();
        if (range.begin() == 0) {
            selector.add(
                    "token_embd.weight", TensorUse.ROW_LOOKUP, sizes.width(), sizes.vocabulary());
        }
        for (int layer = range.begin(); layer < range.end(); layer++) {
            selector.layer(layer);
        }
        if (range.end() == sizes.layers()) {
            selector.add("output_norm.weight", TensorUse.ELEMENTWISE, sizes.width());
            selector.matrix(head(), sizes.width(), sizes.vocabulary());
        }
        return selector.selection.build();
    }

    private final class Selector {
        final TensorSelection.Builder selection = new TensorSelection.Builder();

        void layer(int layer) {
            int width = sizes.width();
            add(block(layer, "attn_norm.weight"), TensorUse.ELEMENTWISE, width);
            if (sizes.recurrent()[layer]) {
                deltaNet(layer, width);
            } else {
                attention(layer, width);
            }
            int feedForward = sizes.feedForward()[layer];
            add(block(layer, "post_attention_norm.weight"), TensorUse.ELEMENTWISE, width);
            matrix(block(layer, "ffn_gate"), width, feedForward);
            matrix(block(layer, "ffn_up"), width, feedForward);
            matrix(block(layer, "ffn_down"), feedForward, width);
        }

        private void attention(int layer, int width) {
            int query = sizes.headLength() * sizes.heads();
            int key = sizes.headLength() * sizes.kvHeads();
            if (isFused(layer)) {
                matrix(block(layer, "attn_qkv"), width, 2L * query + 2L * key);
            } else {
                matrix(block(layer, "attn_q"), width, 2L * query);
                matrix(block(layer, "attn_k"), width, key);
                matrix(block(layer, "attn_v"), width, key);
            }
            matrix(block(layer, "attn_output"), query, width);
            add(block(layer, "attn_q_norm.weight"), TensorUse.ELEMENTWISE, sizes.headLength());
            add(block(layer, "attn_k_norm.weight"), TensorUse.ELEMENTWISE, sizes.headLength());
        }

        private void deltaNet(int layer, int width) {
            matrix(block(layer, "attn_qkv"), width, sizes.convChannels());
            matrix(block(layer, "attn_gate"), width, sizes.valueLength());
            add(
                    block(layer, "ssm_conv1d.weight"),
                    TensorUse.CONVOLUTION,
                    sizes.convKernel(),
                    sizes.convChannels());
            add(block(layer, "ssm_dt.bias"), TensorUse.ELEMENTWISE, sizes.valueHeads());
            add(block(layer, "ssm_a"), TensorUse.ELEMENTWISE, sizes.valueHeads());
            matrix(block(layer, "ssm_alpha"), width, sizes.valueHeads());
            matrix(block(layer, "ssm_beta"), width, sizes.valueHeads());
            add(block(layer, "ssm_norm.weight"), TensorUse.ELEMENTWISE, sizes.stateSize());
            matrix(block(layer, "ssm_out"), sizes.valueLength(), width);
        }

        /**
         * A weight matrix with the companions that some quantisers and converters write beside it.
         */
        void matrix(String name, long in, long out) {
            add(name + ".weight", TensorUse.MATMUL, in, out);
            if (file.tensor(name + ".scale").isPresent()) {
                add(name + ".scale", TensorUse.ELEMENTWISE, 1);
            }
            if (file.tensor(name + ".bias").isPresent()) {
                add(name + ".bias", TensorUse.ELEMENTWISE, out);
            }
        }

        void add(String name, TensorUse use, long... shape) {
            GgufTensor tensor = file.requireTensor(name);
            tensor.requireShape(shape);
            selection.add(tensor, use);
        }
    }
}
