package dev.varve.plugin.embedders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.EncoderAttention;
import dev.varve.api.model.EncoderGraph;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.Pooling;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TextEncoder;
import dev.varve.api.model.WeightSelector;

import java.util.List;
import java.util.Optional;

/**
 * ModernBERT: norms in front, gated feed-forwards, and windows in two of three layers.
 *
 * @param windows how far and by which positions the layers see
 * @see <a href="https://arxiv.org/abs/2412.13663">ModernBERT</a>
 */
record ModernBert(GgufFile file, EncoderSizes numbers, Windows windows, Activation activation)
        implements SizedEncoder {
    private static final String TOKENS = "token_embd.weight";
    private static final int PERIOD = 3;

    static TextEncoder read(GgufFile file, ModelKeys keys) {
        EncoderSizes numbers = EncoderSizes.read(file, keys);
        int length = numbers.heads().length();
        int dimensions = keys.ropeDimensions("rope.dimension_count", length, length);
        RopeOptions full =
                keys.scaledRope(
                        dimensions, RopeOptions.Mode.NEOX, keys.ropeBase("rope.freq_base", 160000));
        RopeOptions near =
                keys.plainRope(
                        dimensions,
                        RopeOptions.Mode.NEOX,
                        keys.ropeBase("rope.freq_base_swa", 10000));
        return new ModernBert(
                file,
                numbers,
                new Windows(
                        keys.slidingLayers(PERIOD),
                        keys.count("attention.sliding_window", Integer.MAX_VALUE),
                        full,
                        near),
                keys.text("hidden_activation").filter("silu"::equals).isPresent()
                        ? Activation.SILU
                        : Activation.GELU);
    }

    @Override
    public Pooling rankPooling() {
        return Pooling.MEAN;
    }

    @Override
    public TensorSelection tensors() {
        WeightSelector weights = new WeightSelector(file);
        int width = numbers.width();
        weights.table(TOKENS, width, sizes().vocabularySize());
        weights.vector("token_embd_norm.weight", width);
        for (int layer = 0; layer < numbers.layers(); layer++) {
            if (layer > 0) {
                weights.vector(block(layer, "attn_norm.weight"), width);
            }
            weights.projections(width, block(layer, "attn_qkv"), numbers.projections(layer));
            weights.matrix(block(layer, "attn_output"), numbers.heads().queryRows(), width);
            weights.vector(block(layer, "ffn_norm.weight"), width);
            weights.matrix(block(layer, "ffn_up"), width, 2L * numbers.feedForward());
            weights.matrix(block(layer, "ffn_down"), numbers.feedForward(), width);
        }
        weights.vector("output_norm.weight", width);
        head().select(weights);
        return weights.build();
    }

    @Override
    public Tensor build(EncoderGraph graph) {
        Tensor hidden = layerNorm(graph, graph.embed(TOKENS), "token_embd_norm");
        for (int layer = 0; layer < numbers.layers(); layer++) {
            // The first layer reads what was normalised just before.
            Tensor input =
                    layer == 0 ? hidden : layerNorm(graph, hidden, block(layer, "attn_norm"));
            Tensor middle = graph.ops().add(attention(graph, layer, input), hidden);
            Tensor normed = layerNorm(graph, middle, block(layer, "ffn_norm"));
            hidden = graph.ops().add(feedForward(graph, layer, normed), middle);
        }
        return layerNorm(graph, hidden, "output_norm");
    }

    private Tensor attention(EncoderGraph graph, int layer, Tensor input) {
        EncoderSizes.Heads heads = numbers.heads();
        List<Tensor> parts =
                graph.projections(input, block(layer, "attn_qkv"), numbers.projections(layer));
        RopeOptions rotation = windows.rotation(layer);
        Tensor attended =
                graph.encoderAttention(
                        rotated(graph, graph.heads(parts.get(0), heads.query()), rotation),
                        rotated(graph, graph.heads(parts.get(1), heads.keyValue()), rotation),
                        graph.heads(parts.get(2), heads.keyValue()),
                        windows.limit(layer, EncoderAttention.full(heads.scale())));
        return graph.matmul(block(layer, "attn_output"), attended);
    }

    private static Tensor rotated(EncoderGraph graph, Tensor heads, RopeOptions rotation) {
        return graph.ops().ropeExt(heads, graph.positions(), Optional.empty(), rotation);
    }

    private Tensor feedForward(EncoderGraph graph, int layer, Tensor input) {
        Tensor both = graph.matmul(block(layer, "ffn_up"), input);
        return graph.matmul(
                block(layer, "ffn_down"),
                activation == Activation.SILU
                        ? Halves.silu(graph.ops(), both)
                        : Halves.gelu(graph.ops(), both));
    }

    private Tensor layerNorm(EncoderGraph graph, Tensor input, String name) {
        return graph.layerNorm(input, name, numbers.epsilon());
    }
}
