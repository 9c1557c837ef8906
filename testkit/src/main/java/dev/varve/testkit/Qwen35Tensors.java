package dev.varve.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The tensors of a {@link Qwen35Model} or {@link Qwen35MoeModel}, each with its own random stream,
 * so that adding one changes no other.
 */
final class Qwen35Tensors {
    /**
     * Deviation of the logits; large enough for clear winners, small enough that sampling has a
     * choice.
     */
    private static final double LOGIT_DEVIATION = 4;

    /**
     * Size of the sum of all layers' outputs, in units of the embedding. Random layers amplify
     * rounding errors: measured against the F32 model, Q8_0 weights move the logits by 3 %, 5 % and
     * 12 to 50 % at shares of 0.7, 1 and 1.5, while the context moves them by 50, 70 and 95 %.
     */
    private static final double LAYER_SHARE = 1;

    /** Size of the input of the last matrix of a branch: a gate times a value of unit size. */
    private static final double GATED_SIZE = 0.6;

    /** Root mean square of the sigmoid of a unit gaussian. */
    private static final double SIGMOID_SIZE = 0.54;

    private final Qwen35Model model;
    private final Optional<Qwen35MoeModel.Experts> experts;
    private final RandomTensors tensors;
    private final int embedding;

    /**
     * @param experts of every layer; empty for dense layers
     * @param controlIds tokens whose rows in embedding and head are nearly zero
     */
    Qwen35Tensors(
            GgufWriter writer,
            Qwen35Model model,
            Optional<Qwen35MoeModel.Experts> experts,
            List<Integer> controlIds) {
        this.model = model;
        this.experts = experts;
        this.tensors =
                new RandomTensors(
                        writer,
                        model.weights().type(),
                        model.weights().patterned(),
                        new RandomRows(model.weights().seed()),
                        Set.copyOf(controlIds));
        this.embedding = model.size().embedding();
    }

    void addAll() {
        head();
        for (int layer = 0; layer < model.size().layers(); layer++) {
            norms(prefix(layer));
            if (model.plan().isRecurrent(layer)) {
                linearAttention(layer);
            } else {
                fullAttention(layer);
            }
            feedForward(layer);
        }
        for (int block = 0; block < model.plan().nextnBlocks(); block++) {
            nextnBlock(model.size().layers() + block);
        }
    }

    private void head() {
        int vocabulary = model.size().vocabulary();
        tensors.vocabulary("token_embd.weight", embedding, vocabulary, embeddingDeviation());
        // With random signs a tied head does not simply prefer the token that it was fed.
        tensors.vector(
                "output_norm.weight", embedding, tensors.rows().signed("output_norm.weight", 0.1));
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

    private void norms(String prefix) {
        tensors.norm(prefix + "attn_norm.weight", embedding, 1);
        tensors.norm(prefix + "post_attention_norm.weight", embedding, 1);
    }

    private void fullAttention(int layer) {
        String prefix = prefix(layer);
        Qwen35Model.Attention attention = model.attention();
        int queryRows = 2 * attention.headDim() * attention.heads();
        int kvRows = attention.headDim() * attention.kvHeads();
        if (attention.fusedQkv()) {
            projection(layer, "attn_qkv", queryRows + 2 * kvRows);
        } else {
            projection(layer, "attn_q", queryRows);
            projection(layer, "attn_k", kvRows);
            projection(layer, "attn_v", kvRows);
        }
        matrix(
                layer,
                "attn_output",
                attention.headDim() * attention.heads(),
                embedding,
                branchGain());
        // Queries longer than unit size make attention pick some positions instead of averaging
        // over all of them.
        tensors.norm(prefix + "attn_q_norm.weight", attention.headDim(), 1.5);
        tensors.norm(prefix + "attn_k_norm.weight", attention.headDim(), 1);
    }

    private void projection(int layer, String name, int outputs) {
        matrix(layer, name, embedding, outputs, 1);
        if (model.attention().biases()) {
            String tensor = prefix(layer) + name + ".bias";
            tensors.vector(tensor, outputs, tensors.rows().gaussian(tensor, 0, 0.1));
        }
    }

    private void linearAttention(int layer) {
        String prefix = prefix(layer);
        Qwen35Model.DeltaNet net = model.deltaNet();
        matrix(layer, "attn_qkv", embedding, net.convDim(), 1);
        matrix(layer, "attn_gate", embedding, net.valueDim(), 1);
        String conv = prefix + "ssm_conv1d.weight";
        tensors.floats(
                conv,
                List.of(net.convKernel(), net.convDim()),
                tensors.rows().gaussian(conv, 0, 0.5));
        tensors.vector(
                prefix + "ssm_dt.bias",
                net.valueHeads(),
                tensors.rows().gaussian(prefix + "ssm_dt.bias", -1, 0.5));
        tensors.vector(
                prefix + "ssm_a", net.valueHeads(), tensors.rows().negativeDecay(prefix + "ssm_a"));
        matrix(layer, "ssm_alpha", embedding, net.valueHeads(), 1);
        matrix(layer, "ssm_beta", embedding, net.valueHeads(), 1);
        tensors.norm(prefix + "ssm_norm.weight", net.stateSize(), 1);
        matrix(layer, "ssm_out", net.valueDim(), embedding, branchGain());
    }

    private void feedForward(int layer) {
        experts.ifPresentOrElse(some -> mixture(layer, some), () -> dense(layer));
    }

    /** Adds the routed experts and the shared one. */
    private void mixture(int layer, Qwen35MoeModel.Experts some) {
        int inner = some.feedForward();
        int count = some.count();
        int shared = model.size().feedForward();
        Routing routing = Routing.softmax(count, some.used());
        tensors.router(prefix(layer) + "ffn_gate_inp.weight", embedding, count);
        if (some.fusedGateUp()) {
            matrix(layer, "ffn_gate_up_exps", List.of(embedding, 2 * inner, count), 1);
        } else {
            matrix(layer, "ffn_gate_exps", List.of(embedding, inner, count), 1);
            matrix(layer, "ffn_up_exps", List.of(embedding, inner, count), 1);
        }
        matrix(
                layer,
                "ffn_down_exps",
                List.of(inner, embedding, count),
                branchGain() * Routing.ROUTED_SHARE / routing.typicalSize());
        String gate = prefix(layer) + "ffn_gate_inp_shexp.weight";
        tensors.vector(gate, embedding, tensors.rows().gaussian(gate, 0, 1 / Math.sqrt(embedding)));
        matrix(layer, "ffn_gate_shexp", embedding, shared, 1);
        matrix(layer, "ffn_up_shexp", embedding, shared, 1);
        matrix(
                layer,
                "ffn_down_shexp",
                shared,
                embedding,
                branchGain() * Routing.SHARED_SHARE / SIGMOID_SIZE);
    }

    private void dense(int layer) {
        int inner = model.size().feedForward();
        matrix(layer, "ffn_gate", embedding, inner, 1);
        matrix(layer, "ffn_up", embedding, inner, 1);
        matrix(layer, "ffn_down", inner, embedding, branchGain());
    }

    private void nextnBlock(int layer) {
        String prefix = prefix(layer);
        norms(prefix);
        fullAttention(layer);
        feedForward(layer);
        matrix(layer, "nextn.eh_proj", 2 * embedding, embedding, 1);
        tensors.norm(prefix + "nextn.enorm.weight", embedding, 1);
        tensors.norm(prefix + "nextn.hnorm.weight", embedding, 1);
        tensors.norm(prefix + "nextn.shared_head_norm.weight", embedding, 1);
    }

    private void matrix(int layer, String name, int inputs, int outputs, double gain) {
        matrix(layer, name, List.of(inputs, outputs), gain);
    }

    /**
     * @param shape inputs, outputs, and for experts their count
     * @param gain deviation of the outputs for inputs of unit size
     */
    private void matrix(int layer, String name, List<Integer> shape, double gain) {
        boolean scaled = model.weights().scales() && layer % 2 == 0;
        double deviation = gain / Math.sqrt(shape.getFirst()) / (scaled ? 0.25 : 1);
        tensors.matrix(prefix(layer) + name + ".weight", shape, deviation);
        if (scaled) {
            int scales = shape.size() == 2 ? 1 : shape.getLast();
            tensors.vector(
                    prefix(layer) + name + ".scale",
                    scales,
                    (row, values) -> Arrays.fill(values, 0.25f));
        }
    }

    private static String prefix(int layer) {
        return "blk." + layer + ".";
    }
}
