package dev.varve.testkit;

import java.util.List;
import java.util.Set;

/**
 * The tensors of a {@link Qwen35Model}, each with its own random stream, so that adding one changes
 * no other.
 */
final class Qwen35Tensors {
    /**
     * Deviation of the logits; large enough for clear winners, small enough that sampling has a
     * choice.
     */
    private static final double LOGIT_DEVIATION = 4;

    /**
     * Size of what all layers add together, in units of the embedding. Random layers amplify
     * rounding errors: measured against the F32 model, Q8_0 weights move the logits by 3 %, 5 % and
     * 12 to 50 % at shares of 0.7, 1 and 1.5, while the context moves them by 50, 70 and 95 %.
     */
    private static final double LAYER_SHARE = 1;

    /** Size of what reaches the last matrix of a branch: a gate times a value of unit size. */
    private static final double GATED_SIZE = 0.6;

    private final Qwen35Model model;
    private final Set<Integer> quietRows;
    private final RandomRows rows;
    private final int embedding;

    /**
     * @param controlIds tokens whose rows in embedding and head are nearly zero
     */
    Qwen35Tensors(Qwen35Model model, List<Integer> controlIds) {
        this.model = model;
        this.quietRows = Set.copyOf(controlIds);
        this.rows = new RandomRows(model.weights().seed());
        this.embedding = model.size().embedding();
    }

    void addTo(GgufWriter writer) {
        head(writer);
        for (int layer = 0; layer < model.size().layers(); layer++) {
            norms(writer, prefix(layer));
            if (model.plan().isRecurrent(layer)) {
                linearAttention(writer, layer);
            } else {
                fullAttention(writer, layer);
            }
            feedForward(writer, layer);
        }
        for (int block = 0; block < model.plan().nextnBlocks(); block++) {
            nextnBlock(writer, model.size().layers() + block);
        }
    }

    private void head(GgufWriter writer) {
        vocabularyMatrix(writer, "token_embd.weight", embeddingDeviation());
        // With random signs a tied head does not simply prefer the token that it was fed.
        vector(writer, "output_norm.weight", embedding, rows.signed("output_norm.weight", 0.1));
        if (!model.weights().tiedHead()) {
            vocabularyMatrix(writer, "output.weight", headDeviation());
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

    private void norms(GgufWriter writer, String prefix) {
        norm(writer, prefix + "attn_norm.weight", embedding, 1);
        norm(writer, prefix + "post_attention_norm.weight", embedding, 1);
    }

    private void fullAttention(GgufWriter writer, int layer) {
        String prefix = prefix(layer);
        Qwen35Model.Attention attention = model.attention();
        int queryRows = 2 * attention.headDim() * attention.heads();
        int kvRows = attention.headDim() * attention.kvHeads();
        if (attention.fusedQkv()) {
            projection(writer, layer, "attn_qkv", queryRows + 2 * kvRows);
        } else {
            projection(writer, layer, "attn_q", queryRows);
            projection(writer, layer, "attn_k", kvRows);
            projection(writer, layer, "attn_v", kvRows);
        }
        matrix(
                writer,
                layer,
                "attn_output",
                attention.headDim() * attention.heads(),
                embedding,
                branchGain());
        // Queries longer than unit size make attention pick some positions instead of averaging
        // over all of them.
        norm(writer, prefix + "attn_q_norm.weight", attention.headDim(), 1.5);
        norm(writer, prefix + "attn_k_norm.weight", attention.headDim(), 1);
    }

    private void projection(GgufWriter writer, int layer, String name, int outputs) {
        matrix(writer, layer, name, embedding, outputs, 1);
        if (model.attention().biases()) {
            String tensor = prefix(layer) + name + ".bias";
            vector(writer, tensor, outputs, rows.gaussian(tensor, 0, 0.1));
        }
    }

    private void linearAttention(GgufWriter writer, int layer) {
        String prefix = prefix(layer);
        Qwen35Model.DeltaNet net = model.deltaNet();
        matrix(writer, layer, "attn_qkv", embedding, net.convDim(), 1);
        matrix(writer, layer, "attn_gate", embedding, net.valueDim(), 1);
        String conv = prefix + "ssm_conv1d.weight";
        writer.tensor(
                conv,
                TensorType.F32,
                List.of((long) net.convKernel(), (long) net.convDim()),
                new TensorData.Floats(rows.gaussian(conv, 0, 0.5)));
        vector(
                writer,
                prefix + "ssm_dt.bias",
                net.valueHeads(),
                rows.gaussian(prefix + "ssm_dt.bias", -1, 0.5));
        vector(writer, prefix + "ssm_a", net.valueHeads(), rows.negativeDecay(prefix + "ssm_a"));
        matrix(writer, layer, "ssm_alpha", embedding, net.valueHeads(), 1);
        matrix(writer, layer, "ssm_beta", embedding, net.valueHeads(), 1);
        norm(writer, prefix + "ssm_norm.weight", net.stateSize(), 1);
        matrix(writer, layer, "ssm_out", net.valueDim(), embedding, branchGain());
    }

    private void feedForward(GgufWriter writer, int layer) {
        int inner = model.size().feedForward();
        matrix(writer, layer, "ffn_gate", embedding, inner, 1);
        matrix(writer, layer, "ffn_up", embedding, inner, 1);
        matrix(writer, layer, "ffn_down", inner, embedding, branchGain());
    }

    private void nextnBlock(GgufWriter writer, int layer) {
        String prefix = prefix(layer);
        norms(writer, prefix);
        fullAttention(writer, layer);
        feedForward(writer, layer);
        matrix(writer, layer, "nextn.eh_proj", 2 * embedding, embedding, 1);
        norm(writer, prefix + "nextn.enorm.weight", embedding, 1);
        norm(writer, prefix + "nextn.hnorm.weight", embedding, 1);
        norm(writer, prefix + "nextn.shared_head_norm.weight", embedding, 1);
    }

    private void vocabularyMatrix(GgufWriter writer, String name, double deviation) {
        List<Long> shape = List.of((long) embedding, (long) model.size().vocabulary());
        TensorType type = model.weights().type().orFallbackFor(embedding);
        if (model.weights().patterned()) {
            writer.tensor(
                    name, type, shape, rows.patterned(name, type, shape, deviation, quietRows));
            return;
        }
        TensorData.RowGenerator gaussian = rows.gaussian(name, 0, deviation);
        writer.tensor(
                name,
                type,
                shape,
                new TensorData.Floats(
                        (row, values) -> {
                            gaussian.fill(row, values);
                            if (quietRows.contains((int) row)) {
                                for (int i = 0; i < values.length; i++) {
                                    values[i] *= 0.01f;
                                }
                            }
                        }));
    }

    /**
     * @param gain deviation of the outputs for inputs of unit size
     */
    private void matrix(
            GgufWriter writer, int layer, String name, int inputs, int outputs, double gain) {
        boolean scaled = model.weights().scales() && layer % 2 == 0;
        String tensor = prefix(layer) + name + ".weight";
        TensorType type = model.weights().type().orFallbackFor(inputs);
        List<Long> shape = List.of((long) inputs, (long) outputs);
        double deviation = gain / Math.sqrt(inputs) / (scaled ? 0.25 : 1);
        writer.tensor(
                tensor,
                type,
                shape,
                model.weights().patterned()
                        ? rows.patterned(tensor, type, shape, deviation, Set.of())
                        : new TensorData.Floats(rows.gaussian(tensor, 0, deviation)));
        if (scaled) {
            vector(writer, prefix(layer) + name + ".scale", 1, (row, values) -> values[0] = 0.25f);
        }
    }

    private void norm(GgufWriter writer, String name, int length, double mean) {
        vector(writer, name, length, rows.gaussian(name, mean, 0.1));
    }

    private static void vector(
            GgufWriter writer, String name, int length, TensorData.RowGenerator values) {
        writer.tensor(name, TensorType.F32, List.of((long) length), new TensorData.Floats(values));
    }

    private static String prefix(int layer) {
        return "blk." + layer + ".";
    }
}
