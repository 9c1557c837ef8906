package dev.varve.testkit;

import java.util.List;
import java.util.Set;

/**
 * Vocabulary and tensors of a model of dense pre-norm layers of full attention.
 *
 * @param shape the architecture and its sizes
 * @param weights generation of the values
 */
record DenseModel(Shape shape, Qwen3Model.Weights weights) {

    /**
     * An architecture and its sizes.
     *
     * @param headNorms whether each head of queries and keys has a norm
     */
    record Shape(
            String architecture,
            Qwen35Model.Size size,
            Qwen3Model.Attention attention,
            boolean headNorms) {

        /** Adds the numbers, without those of scaled positions. */
        void describeIn(GgufWriter writer) {
            String prefix = architecture + ".";
            writer.put("general.architecture", GgufValue.of(architecture))
                    .put(prefix + "block_count", GgufValue.of(size.layers()))
                    .put(prefix + "context_length", GgufValue.of(size.context()))
                    .put(prefix + "embedding_length", GgufValue.of(size.embedding()))
                    .put(prefix + "feed_forward_length", GgufValue.of(size.feedForward()))
                    .put(prefix + "attention.head_count", GgufValue.of(attention.heads()))
                    .put(prefix + "attention.head_count_kv", GgufValue.of(attention.kvHeads()))
                    .put(prefix + "attention.key_length", GgufValue.of(attention.headDim()))
                    .put(prefix + "attention.value_length", GgufValue.of(attention.headDim()))
                    .put(prefix + "attention.layer_norm_rms_epsilon", GgufValue.of(1e-6f))
                    .put(prefix + "rope.freq_base", GgufValue.of(1e6f));
        }
    }

    /** Adds the vocabulary and all tensors. */
    void writeTo(GgufWriter writer, String chatTemplate) {
        TestVocabulary vocabulary = TestVocabulary.of(shape.size().vocabulary());
        vocabulary.describeIn(writer, chatTemplate);
        writer.put("tokenizer.ggml.pre", GgufValue.of("qwen2"));
        addTensors(
                new RandomTensors(
                        writer,
                        weights.type(),
                        weights.patterned(),
                        new RandomRows(weights.seed()),
                        Set.copyOf(vocabulary.controlIds())));
    }

    private void addTensors(RandomTensors tensors) {
        int width = shape.size().embedding();
        int vocabulary = shape.size().vocabulary();
        boolean tied = weights.tiedHead();
        double head = 4 / Math.sqrt(width);
        tensors.vocabulary("token_embd.weight", width, vocabulary, tied ? head : 1);
        // With random signs a tied head does not simply prefer the token that it was fed.
        tensors.vector(
                "output_norm.weight", width, tensors.rows().signed("output_norm.weight", 0.1));
        if (!tied) {
            tensors.vocabulary("output.weight", width, vocabulary, head);
        }
        double branch = (tied ? head : 1) / Math.sqrt(2.0 * shape.size().layers());
        for (int layer = 0; layer < shape.size().layers(); layer++) {
            String prefix = "blk." + layer + ".";
            addAttention(tensors, prefix, branch);
            addFeedForward(tensors, prefix, branch);
        }
    }

    private void addAttention(RandomTensors tensors, String prefix, double branch) {
        Qwen3Model.Attention attention = shape.attention();
        int width = shape.size().embedding();
        tensors.norm(prefix + "attn_norm.weight", width, 1);
        if (attention.fusedQkv()) {
            addProjection(
                    tensors, prefix + "attn_qkv", attention.queryRows() + 2 * attention.keyRows());
        } else {
            addProjection(tensors, prefix + "attn_q", attention.queryRows());
            addProjection(tensors, prefix + "attn_k", attention.keyRows());
            addProjection(tensors, prefix + "attn_v", attention.keyRows());
        }
        if (shape.headNorms()) {
            tensors.norm(prefix + "attn_q_norm.weight", attention.headDim(), 1.5);
            tensors.norm(prefix + "attn_k_norm.weight", attention.headDim(), 1);
        }
        addMatrix(tensors, prefix + "attn_output.weight", attention.queryRows(), width, 2 * branch);
    }

    private void addProjection(RandomTensors tensors, String name, int rows) {
        addMatrix(tensors, name + ".weight", shape.size().embedding(), rows, 1);
        if (shape.attention().biases()) {
            String bias = name + ".bias";
            tensors.vector(bias, rows, tensors.rows().gaussian(bias, 0, 0.3));
        }
    }

    private void addFeedForward(RandomTensors tensors, String prefix, double branch) {
        int width = shape.size().embedding();
        int inner = shape.size().feedForward();
        tensors.norm(prefix + "ffn_norm.weight", width, 1);
        addMatrix(tensors, prefix + "ffn_gate.weight", width, inner, 1);
        addMatrix(tensors, prefix + "ffn_up.weight", width, inner, 1);
        addMatrix(tensors, prefix + "ffn_down.weight", inner, width, branch);
    }

    private static void addMatrix(
            RandomTensors tensors, String name, int inputs, int outputs, double gain) {
        tensors.matrix(name, List.of(inputs, outputs), gain / Math.sqrt(inputs));
    }
}
