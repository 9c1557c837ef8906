package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * A random model of the {@code qwen3} architecture, which no plugin of the installation serves: the
 * plugin guide's example does. Dense pre-norm layers with norms on queries and keys.
 *
 * @param size layers, widths, vocabulary and context
 * @param heads query heads and KV heads
 * @param weights type, tied head, seed
 */
public record Qwen3Model(Qwen35Model.Size size, Heads heads, Weights weights) {
    /** Increases when the same description gives other bytes. */
    private static final int CONTENTS_VERSION = 1;

    /**
     * Heads of the attention.
     *
     * @param query query heads
     * @param keyValue heads of K and V
     * @param length elements of each
     */
    public record Heads(int query, int keyValue, int length) {}

    /**
     * How the weights are made.
     *
     * @param type of all matrices; those whose rows are no whole blocks fall back to another
     * @param tiedHead whether the head is the embedding table
     * @param seed of all random values
     */
    public record Weights(TensorType type, boolean tiedHead, long seed) {}

    /** Four layers of width 128 in F32, whose heads together are wider than the hidden state. */
    public static Qwen3Model tiny() {
        return new Qwen3Model(
                new Qwen35Model.Size(4, 128, 256, 320, 4096),
                new Heads(6, 2, 32),
                new Weights(TensorType.F32, true, 1));
    }

    /** The same shape with other values, of another type, with a head of its own or not. */
    public Qwen3Model withWeights(Weights other) {
        return new Qwen3Model(size, heads, other);
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code qwen3-l<layers>-e<width>-<type>-<digest>.gguf}
     */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder, "qwen3", size, weights.type(), CONTENTS_VERSION + toString(), this::writer);
    }

    /** The whole content, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer =
                new GgufWriter()
                        .put("general.architecture", GgufValue.of("qwen3"))
                        .put("qwen3.block_count", GgufValue.of(size.layers()))
                        .put("qwen3.context_length", GgufValue.of(size.context()))
                        .put("qwen3.embedding_length", GgufValue.of(size.embedding()))
                        .put("qwen3.feed_forward_length", GgufValue.of(size.feedForward()))
                        .put("qwen3.attention.head_count", GgufValue.of(heads.query()))
                        .put("qwen3.attention.head_count_kv", GgufValue.of(heads.keyValue()))
                        .put("qwen3.attention.key_length", GgufValue.of(heads.length()))
                        .put("qwen3.attention.value_length", GgufValue.of(heads.length()))
                        .put("qwen3.attention.layer_norm_rms_epsilon", GgufValue.of(1e-6f))
                        .put("qwen3.rope.freq_base", GgufValue.of(1e6f));
        TestVocabulary vocabulary = TestVocabulary.of(size.vocabulary());
        vocabulary.describeIn(writer, Qwen35Model.CHAT_ML);
        writer.put("tokenizer.ggml.pre", GgufValue.of("qwen2"));
        addTensors(
                new RandomTensors(
                        writer,
                        weights.type(),
                        false,
                        new RandomRows(weights.seed()),
                        Set.copyOf(vocabulary.controlIds())));
        return writer;
    }

    private void addTensors(RandomTensors tensors) {
        int width = size.embedding();
        double head = 4 / Math.sqrt(width);
        tensors.vocabulary(
                "token_embd.weight", width, size.vocabulary(), weights.tiedHead() ? head : 1);
        // With random signs a tied head does not simply prefer the token that it was fed.
        tensors.vector(
                "output_norm.weight", width, tensors.rows().signed("output_norm.weight", 0.1));
        if (!weights.tiedHead()) {
            tensors.vocabulary("output.weight", width, size.vocabulary(), head);
        }
        double branch = (weights.tiedHead() ? head : 1) / Math.sqrt(2.0 * size.layers());
        int queryRows = heads.query() * heads.length();
        int rows = heads.keyValue() * heads.length();
        for (int layer = 0; layer < size.layers(); layer++) {
            String prefix = "blk." + layer + ".";
            tensors.norm(prefix + "attn_norm.weight", width, 1);
            matrix(tensors, prefix + "attn_q.weight", width, queryRows, 1);
            matrix(tensors, prefix + "attn_k.weight", width, rows, 1);
            matrix(tensors, prefix + "attn_v.weight", width, rows, 1);
            tensors.norm(prefix + "attn_q_norm.weight", heads.length(), 1.5);
            tensors.norm(prefix + "attn_k_norm.weight", heads.length(), 1);
            matrix(tensors, prefix + "attn_output.weight", queryRows, width, 2 * branch);
            tensors.norm(prefix + "ffn_norm.weight", width, 1);
            matrix(tensors, prefix + "ffn_gate.weight", width, size.feedForward(), 1);
            matrix(tensors, prefix + "ffn_up.weight", width, size.feedForward(), 1);
            matrix(tensors, prefix + "ffn_down.weight", size.feedForward(), width, branch);
        }
    }

    private static void matrix(
            RandomTensors tensors, String name, int inputs, int outputs, double gain) {
        tensors.matrix(name, List.of(inputs, outputs), gain / Math.sqrt(inputs));
    }

    /** Random token ids that a greedy run could have produced. */
    public int[] randomTokens(int count, long tokenSeed) {
        return Qwen35Model.tiny().randomTokens(count, tokenSeed);
    }
}
