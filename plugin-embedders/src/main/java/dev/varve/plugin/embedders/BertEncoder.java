package dev.varve.plugin.embedders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.EncoderAttention;
import dev.varve.api.model.EncoderGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertChoice;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.List;
import java.util.Optional;

/**
 * BERT and its descendants: each of attention and feed-forward is added to its input, and the sum
 * is normalised.
 *
 * @see <a href="https://arxiv.org/abs/1810.04805">BERT</a>
 * @see <a href="https://arxiv.org/abs/2310.19923">Jina Embeddings 2, section 3: slopes and
 *     gates</a>
 */
record BertEncoder(GgufFile file, EncoderSizes numbers, Position position, FeedForward feedForward)
        implements SizedEncoder {
    private static final String TOKENS = "token_embd.weight";
    private static final String POSITIONS = "position_embd.weight";
    private static final String TYPES = "token_types.weight";
    private static final String FIRST_NORM = "token_embd_norm";

    /** How tokens know their positions. */
    sealed interface Position {
        /** By a row of a table. */
        record Table() implements Position {}

        /** By rotations of queries and keys. */
        record Rotation(RopeOptions options) implements Position {}

        /** By distances, which lower the scores. */
        record Slopes(float maxBias) implements Position {}
    }

    /**
     * Feed-forward of the layers.
     *
     * @param gated whether a second product is multiplied with the activated one
     * @param experts in some layers in place of a dense one
     */
    record FeedForward(boolean gated, Activation activation, Optional<Experts> experts) {
        boolean hasExperts(int layer) {
            return experts.filter(each -> layer % each.period() == 1 % each.period()).isPresent();
        }
    }

    /**
     * Experts of some layers.
     *
     * @param period layers from one with experts to the next
     * @param count number of experts
     * @param used experts of a token
     */
    record Experts(int period, int count, int used) {}

    @Override
    public TensorSelection tensors() {
        WeightSelector weights = new WeightSelector(file);
        int width = numbers.width();
        weights.table(TOKENS, width, sizes().vocabularySize());
        if (weights.has(TYPES)) {
            weights.table(TYPES, width, file.requireTensor(TYPES).ne(1));
        }
        if (position instanceof Position.Table) {
            weights.table(POSITIONS, width, sizes().contextLength());
        }
        selectNorm(weights, FIRST_NORM, width);
        for (int layer = 0; layer < numbers.layers(); layer++) {
            selectAttention(weights, layer);
            selectFeedForward(weights, layer);
        }
        head().select(weights);
        return weights.build();
    }

    private static void selectNorm(WeightSelector weights, String name, long length) {
        weights.vector(name + ".weight", length);
        weights.addIfPresent(name + ".bias", TensorUse.ELEMENTWISE, length);
    }

    private void selectAttention(WeightSelector weights, int layer) {
        int width = numbers.width();
        weights.projections(width, block(layer, "attn_qkv"), numbers.projections(layer));
        selectNormIfPresent(weights, block(layer, "attn_q_norm"), numbers.heads().queryRows());
        selectNormIfPresent(weights, block(layer, "attn_k_norm"), numbers.heads().keyRows());
        weights.matrix(block(layer, "attn_output"), numbers.heads().queryRows(), width);
        selectNorm(weights, block(layer, "attn_output_norm"), width);
        selectNormIfPresent(weights, block(layer, "attn_norm_2"), width);
    }

    private static void selectNormIfPresent(WeightSelector weights, String name, long length) {
        if (weights.has(name + ".weight")) {
            selectNorm(weights, name, length);
        }
    }

    private void selectFeedForward(WeightSelector weights, int layer) {
        int width = numbers.width();
        int inner = numbers.feedForward();
        String prefix = block(layer, "ffn");
        if (feedForward.hasExperts(layer)) {
            Experts experts = feedForward.experts().orElseThrow();
            weights.matrix(prefix + "_gate_inp", width, experts.count());
            weights.plainExperts(prefix, width, inner, experts.count());
        } else if (!feedForward.gated()) {
            weights.plainFeedForward(FeedForwardNames.of(prefix), width, inner);
        } else if (weights.has(prefix + "_gate.weight")) {
            weights.feedForward(FeedForwardNames.of(prefix), width, inner);
        } else {
            weights.matrix(prefix + "_up", width, 2L * inner);
            weights.matrix(prefix + "_down", inner, width);
        }
        selectNorm(weights, block(layer, "layer_output_norm"), width);
    }

    @Override
    public Tensor build(EncoderGraph graph) {
        Tensor hidden = layerNorm(graph, embedded(graph), FIRST_NORM);
        for (int layer = 0; layer < numbers.layers(); layer++) {
            Tensor input = hidden;
            Tensor attended = graph.ops().add(attention(graph, layer, input), input);
            Tensor middle = layerNorm(graph, attended, block(layer, "attn_output_norm"));
            String second = block(layer, "attn_norm_2");
            if (graph.hasWeight(second + ".weight", TensorUse.ELEMENTWISE)) {
                middle = layerNorm(graph, graph.ops().add(middle, input), second);
            }
            Tensor fed = graph.ops().add(feedForward(graph, layer, middle), middle);
            hidden = layerNorm(graph, fed, block(layer, "layer_output_norm"));
        }
        return hidden;
    }

    /** All texts are of the first type. */
    private Tensor embedded(EncoderGraph graph) {
        Tensor sum = graph.embed(TOKENS);
        if (graph.hasWeight(TYPES, TensorUse.ROW_LOOKUP)) {
            sum = graph.ops().add(sum, graph.tableRow(TYPES, 0));
        }
        return position instanceof Position.Table
                ? graph.ops().add(sum, graph.embedPositions(POSITIONS))
                : sum;
    }

    private Tensor attention(EncoderGraph graph, int layer, Tensor input) {
        List<Tensor> parts =
                graph.projections(input, block(layer, "attn_qkv"), numbers.projections(layer));
        EncoderSizes.Heads heads = numbers.heads();
        Tensor query = normed(graph, parts.get(0), block(layer, "attn_q_norm"));
        Tensor key = normed(graph, parts.get(1), block(layer, "attn_k_norm"));
        EncoderAttention options = EncoderAttention.full(heads.scale());
        Tensor attended =
                graph.encoderAttention(
                        rotated(graph, graph.heads(query, heads.query())),
                        rotated(graph, graph.heads(key, heads.keyValue())),
                        graph.heads(parts.get(2), heads.keyValue()),
                        position instanceof Position.Slopes slopes
                                ? options.withMaxBias(slopes.maxBias())
                                : options);
        return graph.matmul(block(layer, "attn_output"), attended);
    }

    private Tensor normed(EncoderGraph graph, Tensor rows, String name) {
        return graph.hasWeight(name + ".weight", TensorUse.ELEMENTWISE)
                ? layerNorm(graph, graph.ops().cont(rows), name)
                : rows;
    }

    private Tensor rotated(EncoderGraph graph, Tensor heads) {
        return position instanceof Position.Rotation rotation
                ? graph.ops()
                        .ropeExt(heads, graph.positions(), Optional.empty(), rotation.options())
                : heads;
    }

    private Tensor feedForward(EncoderGraph graph, int layer, Tensor input) {
        FeedForwardNames names = FeedForwardNames.of(block(layer, "ffn"));
        if (feedForward.hasExperts(layer)) {
            return experts(graph, input, names.prefix());
        }
        if (!feedForward.gated()) {
            return graph.plainFeedForward(input, names, feedForward.activation());
        }
        return graph.hasWeight(names.name("gate") + ".weight", TensorUse.MATMUL)
                ? graph.gatedFeedForward(input, names, feedForward.activation())
                : fused(graph, input, names);
    }

    /** One matrix for both products, of which the gate is the first half. */
    private Tensor fused(EncoderGraph graph, Tensor input, FeedForwardNames names) {
        return graph.matmul(
                names.name("down"),
                Halves.gelu(graph.ops(), graph.matmul(names.name("up"), input)));
    }

    private Tensor experts(EncoderGraph graph, Tensor input, String prefix) {
        Ops ops = graph.ops();
        Tensor probabilities = ops.softMax(graph.matmul(prefix + "_gate_inp", input));
        int used = feedForward.experts().orElseThrow().used();
        ExpertChoice choice =
                graph.chooseExperts(
                        probabilities, Optional.empty(), new ExpertRouting(used, false, 1));
        return graph.expertFeedForward(input, choice, prefix, feedForward.activation());
    }

    private Tensor layerNorm(EncoderGraph graph, Tensor input, String name) {
        return graph.layerNorm(input, name, numbers.epsilon());
    }
}
