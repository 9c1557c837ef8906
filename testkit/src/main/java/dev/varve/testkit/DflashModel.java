package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A random DFlash draft: its draft tokens are never right, but they follow from its input.
 *
 * @param target the model whose tokens it proposes
 * @param network sizes of its layers
 * @param block the draft tokens of one evaluation
 * @param captures layers of the target whose input it sees
 * @param windows per layer, whether it slides
 * @param form names of keys and tensors in the file
 * @param weights type and seed
 */
public record DflashModel(
        Target target,
        Network network,
        Block block,
        List<Integer> captures,
        Windows windows,
        Form form,
        Weights weights) {
    private static final int CONTENTS_VERSION = 1;

    /** Two file forms with different names for the same values. */
    public enum Form {
        /** llama.cpp's: architecture {@code dflash}, layers by their input. */
        DFLASH,
        /**
         * The form of the first published drafts: {@code qwen35-dflash-draft}, layers by their
         * output.
         */
        REFERENCE
    }

    /**
     * Sizes of the target.
     *
     * @param width of its hidden state
     * @param vocabulary its tokens
     */
    public record Target(int width, int vocabulary) {}

    /**
     * Sizes of all layers.
     *
     * @param layers how many
     * @param heads query heads
     * @param kvHeads heads of K and V
     * @param headLength elements of each
     * @param feedForward inner width
     */
    public record Network(int layers, int heads, int kvHeads, int headLength, int feedForward) {}

    /**
     * Draft tokens of one evaluation.
     *
     * @param tokens slots, the known token's included
     * @param mask token of the others
     */
    public record Block(int tokens, int mask) {}

    /**
     * Sliding windows.
     *
     * @param length positions; 0 for none in any layer
     * @param layers which layers slide; empty: all of them
     * @param causal whether a slot sees no later one
     */
    public record Windows(int length, List<Boolean> layers, boolean causal) {
        public static final Windows NONE = new Windows(0, List.of(), false);
    }

    /**
     * Generation of the weights.
     *
     * @param type of all matrices
     * @param ownRows rows of a head of its own, with embedding and, where they are fewer than the
     *     target has tokens, map of tokens; 0 for none
     * @param gated whether attention has gates
     * @param seed of all random values
     */
    public record Weights(TensorType type, int ownRows, boolean gated, long seed) {}

    /** Three layers in F32 for any target; they read three of its layers. */
    public static DflashModel tiny(Target target) {
        return new DflashModel(
                target,
                new Network(3, 4, 2, 32, 192),
                new Block(8, 3),
                List.of(1, 2, 4),
                Windows.NONE,
                Form.DFLASH,
                new Weights(TensorType.F32, 0, false, 1));
    }

    /** The same in another form. */
    public DflashModel in(Form other) {
        return new DflashModel(target, network, block, captures, windows, other, weights);
    }

    /** The same with other weights. */
    public DflashModel with(Weights other) {
        return new DflashModel(target, network, block, captures, windows, form, other);
    }

    /** The same with layers of other sizes. */
    public DflashModel with(Network other) {
        return new DflashModel(target, other, block, captures, windows, form, weights);
    }

    /** The same with other windows. */
    public DflashModel with(Windows other) {
        return new DflashModel(target, network, block, captures, other, form, weights);
    }

    /** The same with another block. */
    public DflashModel with(Block other) {
        return new DflashModel(target, network, other, captures, windows, form, weights);
    }

    /** The same with other captures. */
    public DflashModel seeing(List<Integer> layers) {
        return new DflashModel(target, network, block, layers, windows, form, weights);
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code dflash-l<layers>-e<width>-<type>-<digest>.gguf}
     */
    public Path write(Path folder) throws IOException {
        return write(folder, "dflash", toString(), this::writer);
    }

    /** Writes a network that extends this one. */
    Path write(Path folder, String kind, String contents, Supplier<GgufWriter> whole)
            throws IOException {
        Qwen35Model.Size size =
                new Qwen35Model.Size(
                        network.layers(),
                        target.width(),
                        network.feedForward(),
                        target.vocabulary(),
                        4096);
        return ModelFile.write(
                folder, kind, size, weights.type(), CONTENTS_VERSION + contents, whole);
    }

    /** Adds tensors of this network's type and seed. */
    RandomTensors tensors(GgufWriter writer) {
        return new RandomTensors(
                writer, weights.type(), false, new RandomRows(weights.seed()), Set.of());
    }

    private boolean isReference() {
        return form == Form.REFERENCE;
    }

    /** The architecture, which is the prefix of the keys. */
    public String architecture() {
        return isReference() ? "qwen35-dflash-draft" : "dflash";
    }

    /** The whole content, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer =
                new GgufWriter().put("general.architecture", GgufValue.of(architecture()));
        key(writer, "block_count", GgufValue.of(network.layers()));
        key(writer, "context_length", GgufValue.of(4096));
        key(writer, "embedding_length", GgufValue.of(target.width()));
        key(writer, "feed_forward_length", GgufValue.of(network.feedForward()));
        key(writer, "attention.head_count", GgufValue.of(network.heads()));
        key(writer, "attention.head_count_kv", GgufValue.of(network.kvHeads()));
        key(writer, "attention.key_length", GgufValue.of(network.headLength()));
        key(writer, "attention.value_length", GgufValue.of(network.headLength()));
        key(writer, "attention.layer_norm_rms_epsilon", GgufValue.of(1e-6f));
        key(writer, "rope.freq_base", GgufValue.of(1e5f));
        if (windows.length() > 0) {
            key(writer, "attention.sliding_window", GgufValue.of(windows.length()));
            if (!windows.layers().isEmpty()) {
                key(
                        writer,
                        "attention.sliding_window_pattern",
                        GgufValue.booleans(windows.layers()));
            }
        }
        if (windows.causal()) {
            key(writer, "attention.causal", GgufValue.of(true));
        }
        if (isReference()) {
            key(writer, "dflash.block_size", GgufValue.of(block.tokens()));
            key(writer, "dflash.mask_token_id", GgufValue.of(block.mask()));
            key(
                    writer,
                    "dflash.target_layer_ids",
                    GgufValue.ints(captures.stream().map(layer -> layer - 1).toList()));
        } else {
            key(writer, "block_size", GgufValue.of(block.tokens()));
            key(writer, "target_layers", GgufValue.ints(captures));
            writer.put("tokenizer.ggml.mask_token_id", GgufValue.of(block.mask()));
        }
        addTensors(writer);
        return writer;
    }

    /** Adds norms for the states of each captured layer, which the reference form may have. */
    public GgufWriter normingStates(GgufWriter writer) {
        RandomTensors tensors = tensors(writer);
        for (int i = 0; i < captures.size(); i++) {
            tensors.norm("dflash.aux_hidden_norm." + i + ".weight", target.width(), 1);
        }
        return writer;
    }

    /**
     * Adds attention sinks: scores per head and layer that take a share of attention and add no
     * value.
     */
    public GgufWriter sinking(GgufWriter writer) {
        RandomTensors tensors = tensors(writer);
        for (int layer = 0; layer < network.layers(); layer++) {
            String name = "blk." + layer + ".attn_sinks.weight";
            // About the weight of a whole short context.
            tensors.vector(name, network.heads(), tensors.rows().gaussian(name, 4, 2));
        }
        return writer;
    }

    private void key(GgufWriter writer, String name, GgufValue value) {
        writer.put(architecture() + "." + name, value);
    }

    private void addTensors(GgufWriter writer) {
        RandomTensors tensors = tensors(writer);
        int width = target.width();
        String fusion = isReference() ? "dflash.fc" : "fc";
        matrix(tensors, fusion, captures.size() * width, width);
        tensors.norm(
                isReference() ? "dflash.hidden_norm.weight" : "enc.output_norm.weight", width, 1);
        tensors.norm("output_norm.weight", width, 1);
        int queries = network.heads() * network.headLength();
        int rows = network.kvHeads() * network.headLength();
        for (int layer = 0; layer < network.layers(); layer++) {
            String prefix = "blk." + layer + ".";
            tensors.norm(prefix + "attn_norm.weight", width, 1);
            matrix(tensors, prefix + "attn_q", width, queries);
            matrix(tensors, prefix + "attn_k", width, rows);
            matrix(tensors, prefix + "attn_v", width, rows);
            tensors.norm(prefix + "attn_q_norm.weight", network.headLength(), 1.5);
            tensors.norm(prefix + "attn_k_norm.weight", network.headLength(), 1);
            matrix(tensors, prefix + "attn_output", queries, width);
            if (weights.gated()) {
                matrix(tensors, prefix + "attn_gate", width, network.heads());
            }
            tensors.norm(prefix + "ffn_norm.weight", width, 1);
            matrix(tensors, prefix + "ffn_gate", width, network.feedForward());
            matrix(tensors, prefix + "ffn_up", width, network.feedForward());
            matrix(tensors, prefix + "ffn_down", network.feedForward(), width);
        }
        if (weights.ownRows() > 0) {
            tensors.vocabulary("token_embd.weight", width, target.vocabulary(), 1);
            tensors.vocabulary("output.weight", width, weights.ownRows(), 4 / Math.sqrt(width));
            if (weights.ownRows() < target.vocabulary()) {
                addTokens(writer);
            }
        }
    }

    /** Rows of the head. */
    int headRows() {
        return weights.ownRows() > 0 ? weights.ownRows() : target.vocabulary();
    }

    /** Every second token, beginning with the second one. */
    private void addTokens(GgufWriter writer) {
        long[] ids = new long[weights.ownRows()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = 2L * i + 1;
        }
        writer.tensor("d2t", TensorType.I64, List.of((long) ids.length), TensorData.integers(ids));
    }

    private static void matrix(RandomTensors tensors, String name, int inputs, int outputs) {
        tensors.matrix(name + ".weight", List.of(inputs, outputs), 1 / Math.sqrt(inputs));
    }
}
