package dev.varve.plugin.embedders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.EncoderAttention;
import dev.varve.api.model.EncoderGraph;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelKeys.FullLayer;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TextEncoder;
import dev.varve.api.model.WeightSelector;

import java.util.List;
import java.util.Optional;

/**
 * EmbeddingGemma: the layers of Gemma 3, in which tokens also see later ones.
 *
 * @param windows how far and by which positions the layers see
 * @see <a href="https://arxiv.org/abs/2509.20354">EmbeddingGemma</a>
 */
record GemmaEmbedding(GgufFile file, EncoderSizes numbers, Windows windows)
        implements SizedEncoder {
    private static final String TOKENS = "token_embd.weight";
    private static final int PERIOD = 6;

    static TextEncoder read(GgufFile file, ModelKeys keys) {
        // Tokens see later ones whatever the file says.
        keys.ignore("attention.causal");
        EncoderSizes numbers = EncoderSizes.read(file, keys);
        int length = numbers.heads().length();
        RopeOptions full =
                keys.scaledRope(
                        length, RopeOptions.Mode.NEOX, keys.ropeBase("rope.freq_base", 1e6f));
        RopeOptions near =
                keys.plainRope(
                        length, RopeOptions.Mode.NEOX, keys.ropeBase("rope.freq_base_swa", 10000));
        return new GemmaEmbedding(
                file,
                numbers,
                new Windows(
                        keys.slidingLayers(PERIOD, FullLayer.LAST),
                        keys.count("attention.sliding_window", Integer.MAX_VALUE),
                        full,
                        near));
    }

    @Override
    public TensorSelection tensors() {
        WeightSelector weights = new WeightSelector(file);
        int width = numbers.width();
        weights.table(TOKENS, width, sizes().vocabularySize());
        for (int layer = 0; layer < numbers.layers(); layer++) {
            for (String norm :
                    List.of("attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm")) {
                weights.vector(block(layer, norm + ".weight"), width);
            }
            weights.projections(width, block(layer, "attn_qkv"), numbers.projections(layer));
            weights.vector(block(layer, "attn_q_norm.weight"), numbers.heads().length());
            weights.vector(block(layer, "attn_k_norm.weight"), numbers.heads().length());
            weights.matrix(block(layer, "attn_output"), numbers.heads().queryRows(), width);
            weights.feedForward(
                    FeedForwardNames.of(block(layer, "ffn")), width, numbers.feedForward());
        }
        weights.vector("output_norm.weight", width);
        head().select(weights);
        return weights.build();
    }

    @Override
    public Tensor build(EncoderGraph graph) {
        Tensor hidden = graph.ops().scale(graph.embed(TOKENS), (float) Math.sqrt(numbers.width()));
        for (int layer = 0; layer < numbers.layers(); layer++) {
            Tensor attended =
                    attention(graph, layer, norm(graph, hidden, block(layer, "attn_norm")));
            Tensor middle =
                    graph.ops()
                            .add(
                                    norm(graph, attended, block(layer, "post_attention_norm")),
                                    hidden);
            Tensor fed =
                    graph.gatedFeedForward(
                            norm(graph, middle, block(layer, "ffn_norm")),
                            FeedForwardNames.of(block(layer, "ffn")),
                            Activation.GELU);
            hidden = graph.ops().add(norm(graph, fed, block(layer, "post_ffw_norm")), middle);
        }
        return norm(graph, hidden, "output_norm");
    }

    private Tensor attention(EncoderGraph graph, int layer, Tensor input) {
        EncoderSizes.Heads heads = numbers.heads();
        List<Tensor> parts =
                graph.projections(input, block(layer, "attn_qkv"), numbers.projections(layer));
        Tensor query = graph.heads(parts.get(0), heads.query());
        Tensor key = graph.heads(parts.get(1), heads.keyValue());
        Tensor attended =
                graph.encoderAttention(
                        rotated(graph, norm(graph, query, block(layer, "attn_q_norm")), layer),
                        rotated(graph, norm(graph, key, block(layer, "attn_k_norm")), layer),
                        graph.heads(parts.get(2), heads.keyValue()),
                        windows.limit(layer, EncoderAttention.full(heads.scale())));
        return graph.matmul(block(layer, "attn_output"), attended);
    }

    private Tensor rotated(EncoderGraph graph, Tensor heads, int layer) {
        return graph.ops()
                .ropeExt(heads, graph.positions(), Optional.empty(), windows.rotation(layer));
    }

    private Tensor norm(EncoderGraph graph, Tensor input, String name) {
        return graph.norm(input, name + ".weight", numbers.epsilon());
    }
}
