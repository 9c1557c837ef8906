package dev.varve.testkit;

import java.util.List;
import java.util.Set;

/**
 * The tensors of a {@link LagunaModel}, each with its own random stream, so that adding one changes
 * no other.
 */
final class LagunaTensors {
    /**
     * Deviation of the logits; large enough for clear winners, small enough that sampling has a
     * choice.
     */
    private static final double LOGIT_DEVIATION = 4;

    /** Size of the sum of all layers' outputs, in units of the embedding. */
    private static final double LAYER_SHARE = 1;

    /** Size of the input of the last matrix of a branch: a gate times a value of unit size. */
    private static final double GATED_SIZE = 0.6;

    /**
     * Gain of attention over other branches, which makes up for its averaging over positions. With
     * {@link #QUERY_SIZE} it lets context and current token move the logits about equally, so that
     * greedy runs seldom end in a loop; at 2 and 3, Q8_0 weights move the logits by 8 % instead of
     * 4 %.
     */
    private static final double ATTENTION_GAIN = 1.6;

    /**
     * Size of the queries' elements. Queries longer than unit size make attention pick some
     * positions instead of averaging over all of them.
     */
    private static final double QUERY_SIZE = 2.2;

    private final LagunaModel model;
    private final RandomTensors tensors;
    private final int embedding;

    /**
     * @param quietIds tokens whose rows in embedding and head are nearly zero
     */
    LagunaTensors(GgufWriter writer, LagunaModel model, List<Integer> quietIds) {
        this.model = model;
        this.tensors =
                new RandomTensors(
                        writer,
                        model.weights().type(),
                        model.weights().patterned(),
                        new RandomRows(model.weights().seed()),
                        Set.copyOf(quietIds));
        this.embedding = model.size().embedding();
    }

    void addAll() {
        head();
        for (int layer = 0; layer < model.size().layers(); layer++) {
            attention(layer);
            tensors.norm(prefix(layer) + "ffn_norm.weight", embedding, 1);
            if (layer < model.leadingDense()) {
                dense(layer);
            } else {
                mixture(layer);
            }
        }
    }

    private void head() {
        int vocabulary = model.size().vocabulary();
        tensors.vocabulary("token_embd.weight", embedding, vocabulary, embeddingDeviation());
        // With random signs a tied head does not simply prefer the token that it was fed.
        String norm = "output_norm.weight";
        tensors.vector(norm, embedding, tensors.rows().signed(norm, 0.1));
        if (!model.weights().tiedHead()) {
            tensors.vocabulary("output.weight", embedding, vocabulary, headDeviation());
        }
    }

    private double headDeviation() {
        return LOGIT_DEVIATION / Math.sqrt(embedding);
    }

    private double embeddingDeviation() {
        return model.weights().tiedHead() ? headDeviation() : 1;
    }

    /** Gain of the matrices that write to the residual stream, two per layer. */
    private double branchGain() {
        return embeddingDeviation()
                * LAYER_SHARE
                / GATED_SIZE
                / Math.sqrt(2.0 * model.size().layers());
    }

    private void attention(int layer) {
        String prefix = prefix(layer);
        LagunaModel.Attention attention = model.attention();
        int heads = attention.headsOf(layer);
        int queryRows = attention.headDim() * heads;
        int kvRows = attention.headDim() * attention.kvHeads();
        tensors.norm(prefix + "attn_norm.weight", embedding, 1);
        if (attention.fusedQkv()) {
            matrix(layer, "attn_qkv", embedding, queryRows + 2 * kvRows, 1);
        } else {
            matrix(layer, "attn_q", embedding, queryRows, 1);
            matrix(layer, "attn_k", embedding, kvRows, 1);
            matrix(layer, "attn_v", embedding, kvRows, 1);
        }
        matrix(layer, "attn_gate", embedding, attention.gatePerElement() ? queryRows : heads, 1);
        matrix(layer, "attn_output", queryRows, embedding, ATTENTION_GAIN * branchGain());
        tensors.norm(prefix + "attn_q_norm.weight", attention.headDim(), QUERY_SIZE);
        tensors.norm(prefix + "attn_k_norm.weight", attention.headDim(), 1);
    }

    private void dense(int layer) {
        int inner = model.size().feedForward();
        matrix(layer, "ffn_gate", embedding, inner, 1);
        matrix(layer, "ffn_up", embedding, inner, 1);
        matrix(layer, "ffn_down", inner, embedding, branchGain());
    }

    /** Adds the routed experts and the shared one. */
    private void mixture(int layer) {
        LagunaModel.Experts experts = model.experts();
        Routing routing = experts.routing();
        int count = experts.count();
        int inner = experts.feedForward();
        int shared = experts.sharedFeedForward();
        tensors.router(prefix(layer) + "ffn_gate_inp.weight", embedding, count);
        String bias = prefix(layer) + "exp_probs_b.bias";
        tensors.vector(bias, count, tensors.rows().gaussian(bias, 0, routing.biasDeviation()));
        matrix(layer, "ffn_gate_exps", List.of(embedding, inner, count), 1);
        matrix(layer, "ffn_up_exps", List.of(embedding, inner, count), 1);
        matrix(
                layer,
                "ffn_down_exps",
                List.of(inner, embedding, count),
                branchGain() * Routing.ROUTED_SHARE / routing.typicalSize());
        matrix(layer, "ffn_gate_shexp", embedding, shared, 1);
        matrix(layer, "ffn_up_shexp", embedding, shared, 1);
        matrix(layer, "ffn_down_shexp", shared, embedding, branchGain() * Routing.SHARED_SHARE);
    }

    private void matrix(int layer, String name, int inputs, int outputs, double gain) {
        matrix(layer, name, List.of(inputs, outputs), gain);
    }

    /**
     * @param shape inputs, outputs, and for experts their count
     * @param gain deviation of the outputs for inputs of unit size
     */
    private void matrix(int layer, String name, List<Integer> shape, double gain) {
        double deviation = gain / Math.sqrt(shape.getFirst());
        tensors.matrix(prefix(layer) + name + ".weight", shape, deviation);
    }

    private static String prefix(int layer) {
        return "blk." + layer + ".";
    }
}
