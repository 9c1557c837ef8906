package dev.varve.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** Adds keys and tensors of a small model, by the names that most architectures use. */
final class DecoderWriter {
    private final GgufWriter writer;
    private final RandomTensors tensors;
    private final DecoderLayout layout;
    private final DecoderModel.Size size;
    private final SplittableRandom random;

    DecoderWriter(
            GgufWriter writer,
            RandomTensors tensors,
            DecoderLayout layout,
            DecoderModel.Size size,
            SplittableRandom random) {
        this.writer = writer;
        this.tensors = tensors;
        this.layout = layout;
        this.size = size;
        this.random = random;
    }

    DecoderModel.Size size() {
        return size;
    }

    int layers() {
        return size.layers();
    }

    /** Whether this file has a form that some files of the architecture have. */
    boolean chance() {
        return random.nextBoolean();
    }

    DecoderWriter key(String name, int value) {
        return put(name, GgufValue.of(value));
    }

    DecoderWriter key(String name, float value) {
        return put(name, GgufValue.of(value));
    }

    DecoderWriter key(String name, boolean value) {
        return put(name, GgufValue.of(value));
    }

    DecoderWriter key(String name, String value) {
        return put(name, GgufValue.of(value));
    }

    DecoderWriter key(String name, int[] values) {
        return put(name, GgufValue.ints(Arrays.stream(values).boxed().toList()));
    }

    DecoderWriter put(String name, GgufValue value) {
        writer.put(layout.architecture() + "." + name, value);
        return this;
    }

    /** The sizes of the model, the embeddings and the head. */
    void backbone(boolean tied) {
        key("block_count", layers())
                .key("context_length", DecoderModel.CONTEXT)
                .key("embedding_length", size.width())
                .key("attention.layer_norm_rms_epsilon", 1e-5f)
                .key("rope.freq_base", 10000f);
        int width = size.width();
        double head = 4 / Math.sqrt(width);
        tensors.vocabulary("token_embd.weight", width, size.vocabulary(), tied ? head : 1);
        tensors.vector(
                "output_norm.weight", width, tensors.rows().signed("output_norm.weight", 0.1));
        if (!tied) {
            tensors.vocabulary("output.weight", width, size.vocabulary(), head);
        }
    }

    /** An embedding table and a head of the layer. */
    void ends(int layer, String table, String head) {
        int width = size.width();
        tensors.vocabulary(block(layer, table + ".weight"), width, size.vocabulary(), 1);
        tensors.vocabulary(
                block(layer, head + ".weight"), width, size.vocabulary(), 4 / Math.sqrt(width));
    }

    /** Calls back for each layer in order. */
    void eachLayer(IntConsumer layer) {
        IntStream.range(0, layers()).forEach(layer);
    }

    /** Keys of scaled rotations. */
    void scaling(String type, float factor, int original) {
        key("rope.scaling.type", type)
                .key("rope.scaling.factor", factor)
                .key("rope.scaling.original_context_length", original);
    }

    /** Numbers of heads and their length. */
    void heads() {
        key("attention.head_count", size.heads())
                .key("attention.head_count_kv", size.kvHeads())
                .key("attention.key_length", size.head())
                .key("attention.value_length", size.head());
    }

    static String block(int layer, String name) {
        return "blk." + layer + "." + name;
    }

    void norm(int layer, String name) {
        norm(layer, name, size.width());
    }

    void norm(int layer, String name, int length) {
        tensors.norm(block(layer, name + ".weight"), length, 1);
    }

    /** A matrix of the model's width on one side or on none. */
    void matrix(int layer, String name, int in, int out) {
        String full = block(layer, name + ".weight");
        tensors.matrix(full, List.of(in, out), 1 / Math.sqrt(in));
    }

    /** Matrices that are stacked, one for each expert or head. */
    void matrices(int layer, String name, int in, int out, int count) {
        String full = block(layer, name + ".weight");
        tensors.matrix(full, List.of(in, out, count), 1 / Math.sqrt(in));
    }

    void bias(int layer, String name, int length) {
        String full = block(layer, name + ".bias");
        tensors.vector(full, length, tensors.rows().gaussian(full, 0, 0.3));
    }

    /** A tensor of the layer with its whole name. */
    void floats(int layer, String name, List<Integer> shape, double mean, double deviation) {
        String full = block(layer, name);
        tensors.floats(full, shape, tensors.rows().gaussian(full, mean, deviation));
    }

    /** A tensor of the file, of values between 1 and 1 + spread. */
    void divisors(String name, int length, double spread) {
        tensors.floats(
                name,
                List.of(length),
                (row, values) -> {
                    for (int i = 0; i < values.length; i++) {
                        values[i] = (float) (1 + spread * i / values.length);
                    }
                });
    }

    /** Queries, keys, values and the output of attention. */
    void attention(int layer, boolean fused, boolean biases) {
        int width = size.width();
        int queries = size.heads() * size.head();
        int keys = size.kvHeads() * size.head();
        if (fused) {
            matrix(layer, "attn_qkv", width, queries + 2 * keys);
            if (biases) {
                bias(layer, "attn_qkv", queries + 2 * keys);
            }
        } else {
            matrix(layer, "attn_q", width, queries);
            matrix(layer, "attn_k", width, keys);
            matrix(layer, "attn_v", width, keys);
            if (biases) {
                bias(layer, "attn_q", queries);
                bias(layer, "attn_k", keys);
                bias(layer, "attn_v", keys);
            }
        }
        matrix(layer, "attn_output", queries, width);
    }

    /** Attention with its norm, and the norm of the feed-forward. */
    void plainLayer(int layer, boolean biases, String norm) {
        norm(layer, "attn_norm");
        attention(layer, false, biases);
        norm(layer, norm);
    }

    /** Layers of plain attention with a dense feed-forward each. */
    void dense(boolean biases, String norm) {
        key("feed_forward_length", size.feedForward());
        eachLayer(
                layer -> {
                    plainLayer(layer, biases, norm);
                    feedForward(layer, "", size.feedForward());
                });
    }

    /** Norms of each head of queries and keys. */
    void headNorms(int layer) {
        norm(layer, "attn_q_norm", size.head());
        norm(layer, "attn_k_norm", size.head());
    }

    /** Norms of all heads of queries and keys together. */
    void rowNorms(int layer) {
        norm(layer, "attn_q_norm", size.heads() * size.head());
        norm(layer, "attn_k_norm", size.kvHeads() * size.head());
    }

    /** Three matrices of a gated feed-forward. */
    void feedForward(int layer, String suffix, int inner) {
        matrix(layer, "ffn_gate" + suffix, size.width(), inner);
        plainFeedForward(layer, suffix, inner);
    }

    /** Two matrices of a feed-forward without a gate. */
    void plainFeedForward(int layer, String suffix, int inner) {
        matrix(layer, "ffn_up" + suffix, size.width(), inner);
        matrix(layer, "ffn_down" + suffix, inner, size.width());
    }

    void router(int layer) {
        tensors.router(block(layer, "ffn_gate_inp.weight"), size.width(), size.experts());
    }

    /**
     * Numbers of experts.
     *
     * @param used experts of a token in small models; larger models use as many as released ones
     */
    void expertKeys(int used) {
        key("expert_count", size.experts()).key("expert_used_count", size.used().orElse(used));
    }

    /** Routed experts, and a shared one of 128 elements. */
    void sharedAndRoutedExperts(int layer) {
        router(layer);
        experts(layer, false, size.expert());
        feedForward(layer, "_shexp", 128);
    }

    /** Factors of granite's embeddings, scores, layers and logits. */
    void graniteFactors() {
        key("embedding_scale", 12f)
                .key("attention.scale", 0.0625f)
                .key("residual_scale", 0.22f)
                .key("logit_scale", 8f);
    }

    /** Gated experts. */
    void experts(int layer, boolean fused, int inner) {
        int width = size.width();
        if (fused) {
            matrices(layer, "ffn_gate_up_exps", width, 2 * inner, size.experts());
        } else {
            matrices(layer, "ffn_gate_exps", width, inner, size.experts());
            matrices(layer, "ffn_up_exps", width, inner, size.experts());
        }
        matrices(layer, "ffn_down_exps", inner, width, size.experts());
    }

    /** A scan with its convolution. */
    void scan(int layer, int inner, int state, int groups, int heads) {
        int width = size.width();
        int channels = inner + 2 * groups * state;
        norm(layer, "attn_norm");
        matrix(layer, "ssm_in", width, inner + channels + heads);
        floats(layer, "ssm_conv1d.weight", List.of(4, channels), 0, 0.5);
        bias(layer, "ssm_conv1d", channels);
        bias(layer, "ssm_dt", heads);
        decays(layer, List.of(1, heads));
        floats(layer, "ssm_d", List.of(1, heads), 1, 0.3);
        floats(layer, "ssm_norm.weight", List.of(inner / groups, groups), 1, 0.1);
        matrix(layer, "ssm_out", inner, width);
    }

    /** Negative decays of a recurrent state. */
    void decays(int layer, List<Integer> shape) {
        String decay = block(layer, "ssm_a");
        tensors.floats(decay, shape, tensors.rows().negativeDecay(decay));
    }

    /** Keys of scans. */
    void scanKeys(int inner, int state, int groups, int heads) {
        key("ssm.conv_kernel", 4)
                .key("ssm.inner_size", inner)
                .key("ssm.state_size", state)
                .key("ssm.group_count", groups)
                .key("ssm.time_step_rank", heads);
    }
}
