package dev.varve.testkit;

import java.util.List;
import java.util.Set;

/** The tensors of a {@link Gemma4Model}, each with its own random stream. */
final class Gemma4Tensors {
    /** Deviation of the logits before the cap. */
    private static final double LOGIT_DEVIATION = 4;

    /** Size of the output of each branch; the residual stream begins with size 1. */
    private static final double BRANCH = 0.8;

    /** Scores are products of normalised heads: this keeps them at a deviation of a few units. */
    private static final double SCORE_DEVIATION = 2.5;

    private final Gemma4Model model;
    private final RandomTensors tensors;
    private final int embedding;

    Gemma4Tensors(GgufWriter writer, Gemma4Model model, Set<Integer> quietIds) {
        this.model = model;
        tensors =
                new RandomTensors(
                        writer,
                        model.weights().type(),
                        model.weights().patterned(),
                        new RandomRows(model.weights().seed()),
                        quietIds);
        embedding = model.size().embedding();
    }

    void addAll() {
        int vocabulary = model.size().vocabulary();
        double head = LOGIT_DEVIATION / Math.sqrt(embedding);
        // The embedding is multiplied by sqrt(embedding), which leaves size 1 where it is not tied.
        tensors.vocabulary(
                "token_embd.weight",
                embedding,
                vocabulary,
                model.weights().tiedHead() ? head : 1 / Math.sqrt(embedding));
        String norm = "output_norm.weight";
        tensors.vector(norm, embedding, tensors.rows().signed(norm, 0.1));
        if (!model.weights().tiedHead()) {
            tensors.vocabulary("output.weight", embedding, vocabulary, head);
        }
        int pairs = model.attention().fullHeadDim() / 2;
        tensors.vector(
                "rope_freqs.weight",
                pairs,
                (row, values) -> {
                    for (int i = 0; i < pairs; i++) {
                        values[i] = i < pairs / 4 ? 1 : 1e30f;
                    }
                });
        if (model.perLayerWidth() > 0) {
            perLayerInput(vocabulary);
        }
        for (int layer = 0; layer < model.size().layers(); layer++) {
            layer(layer);
        }
    }

    private void perLayerInput(int vocabulary) {
        int all = model.perLayerWidth() * model.size().layers();
        tensors.vocabulary(
                "per_layer_token_embd.weight",
                all,
                vocabulary,
                1 / Math.sqrt(model.perLayerWidth()));
        tensors.matrix("per_layer_model_proj.weight", List.of(embedding, all), 1);
        tensors.norm("per_layer_proj_norm.weight", model.perLayerWidth(), 1);
    }

    private void layer(int layer) {
        attention(layer);
        norm(layer, "post_attention_norm", branch());
        norm(layer, "ffn_norm", 1);
        int inner = model.feedForward(layer);
        matrix(layer, "ffn_gate", embedding, inner);
        matrix(layer, "ffn_up", embedding, inner);
        matrix(layer, "ffn_down", inner, embedding);
        norm(layer, "post_ffw_norm", branch());
        if (model.experts().count() > 0) {
            experts(layer);
        }
        if (model.perLayerWidth() > 0) {
            matrix(layer, "inp_gate", embedding, model.perLayerWidth());
            matrix(layer, "proj", model.perLayerWidth(), embedding);
            norm(layer, "post_norm", 0.3 * branch());
        }
        if (model.weights().layerScales()) {
            String name = prefix(layer) + "layer_output_scale.weight";
            tensors.vector(name, 1, tensors.rows().gaussian(name, 0.9, 0.05));
        }
    }

    private double branch() {
        double start = model.weights().tiedHead() ? LOGIT_DEVIATION : 1;
        return BRANCH * start * Math.sqrt(2.0 / model.size().layers());
    }

    private void attention(int layer) {
        Gemma4Model.Attention attention = model.attention();
        int length = attention.headDimOf(layer);
        int queryRows = length * attention.headsOf(layer);
        int kvRows = length * attention.kvHeadsOf(layer);
        norm(layer, "attn_norm", 1);
        boolean hasValues = attention.sliding().get(layer) || !attention.valuesFromKeys();
        boolean fused = attention.fusedQkv() && hasValues && model.ownsRows(layer);
        if (fused) {
            matrix(layer, "attn_qkv", embedding, queryRows + 2 * kvRows);
        } else {
            matrix(layer, "attn_q", embedding, queryRows);
        }
        if (model.ownsRows(layer) || model.weights().idleProjections()) {
            if (!fused) {
                matrix(layer, "attn_k", embedding, kvRows);
            }
            if (!fused && hasValues) {
                matrix(layer, "attn_v", embedding, kvRows);
            }
            tensors.norm(prefix(layer) + "attn_k_norm.weight", length, keySize(length));
        }
        matrix(layer, "attn_output", queryRows, embedding);
        tensors.norm(prefix(layer) + "attn_q_norm.weight", length, keySize(length));
    }

    /** Norm weight of queries and keys that gives scores the intended deviation. */
    private static double keySize(int length) {
        return Math.sqrt(SCORE_DEVIATION / Math.sqrt(length));
    }

    private void experts(int layer) {
        Gemma4Model.Experts experts = model.experts();
        int inner = experts.feedForward();
        int count = experts.count();
        tensors.router(prefix(layer) + "ffn_gate_inp.weight", embedding, count);
        String scale = prefix(layer) + "ffn_gate_inp.scale";
        tensors.vector(
                scale,
                embedding,
                tensors.rows().gaussian(scale, Math.sqrt(embedding), 0.1 * Math.sqrt(embedding)));
        norm(layer, "pre_ffw_norm_2", 1);
        norm(layer, "post_ffw_norm_1", 1);
        norm(layer, "post_ffw_norm_2", 0.6);
        if (experts.fusedGateUp()) {
            experts(layer, "ffn_gate_up_exps", List.of(embedding, 2 * inner, count));
        } else {
            experts(layer, "ffn_gate_exps", List.of(embedding, inner, count));
            experts(layer, "ffn_up_exps", List.of(embedding, inner, count));
        }
        experts(layer, "ffn_down_exps", List.of(inner, embedding, count));
        if (experts.scaled()) {
            String name = prefix(layer) + "ffn_down_exps.scale";
            tensors.vector(name, count, tensors.rows().gaussian(name, 1, 0.2));
        }
    }

    private void experts(int layer, String name, List<Integer> shape) {
        tensors.matrix(prefix(layer) + name + ".weight", shape, 1 / Math.sqrt(shape.getFirst()));
    }

    private void matrix(int layer, String name, int inputs, int outputs) {
        tensors.matrix(
                prefix(layer) + name + ".weight", List.of(inputs, outputs), 1 / Math.sqrt(inputs));
    }

    private void norm(int layer, String name, double size) {
        tensors.norm(prefix(layer) + name + ".weight", embedding, size);
    }

    private static String prefix(int layer) {
        return "blk." + layer + ".";
    }
}
