package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A random model that computes vectors or scores of texts, from which the same file is written
 * every time. The seed also decides the forms that files of the architecture may have.
 *
 * @param pooling number of the pooling in the file
 * @param ranks whether it has a classifier
 */
public record EncoderModel(Kind kind, long seed, TensorType type, int pooling, boolean ranks) {
    private static final int CONTENTS_VERSION = 2;
    private static final int WIDTH = 256;
    private static final int INNER = 512;
    private static final int CONTEXT = 512;
    private static final int DENSE = 96;
    private static final int EXPERTS = 4;
    private static final int WINDOW = 8;
    private static final List<String> SPECIALS =
            List.of("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]");
    private static final List<String> PIECES =
            List.of(
                    "\u2581the",
                    "\u2581cat",
                    "\u2581sat",
                    "\u2581un",
                    "\u2581",
                    "s",
                    "ing",
                    "happy",
                    "a",
                    "b",
                    "c",
                    "\u2581.",
                    ".",
                    "\u2581caf\u00e9",
                    "\u2581cafe");

    /** An architecture. */
    public enum Kind {
        BERT("bert", 4, 4),
        NOMIC("nomic-bert", 4, 4),
        NOMIC_MOE("nomic-bert-moe", 4, 4),
        JINA2("jina-bert-v2", 6, 4),
        JINA3("jina-bert-v3", 4, 4),
        MODERN("modern-bert", 4, 5),
        GEMMA("gemma-embedding", 4, 7);

        private final String key;
        private final int heads;
        private final int layers;

        Kind(String key, int heads, int layers) {
            this.key = key;
            this.heads = heads;
            this.layers = layers;
        }

        /** Value of {@code general.architecture}. */
        public String key() {
            return key;
        }

        /** Whether the activation is GELU, which ggml reads from a table of F16. */
        public boolean hasGelu() {
            return this != NOMIC;
        }
    }

    private int width() {
        // Six heads, whose slopes are no powers of two, of 42 elements would not suit kernels.
        return kind == Kind.JINA2 ? 6 * 32 : WIDTH;
    }

    private int vocabulary() {
        return 300;
    }

    /** Elements of a vector. */
    public int vectorLength() {
        return width();
    }

    /** Writes the model, unless this folder has it already. */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                kind.name().toLowerCase(Locale.ROOT),
                new Qwen35Model.Size(kind.layers, width(), INNER, vocabulary(), CONTEXT),
                type,
                CONTENTS_VERSION + toString(),
                this::writer);
    }

    /** Random texts of ordinary tokens. */
    public List<int[]> texts(int... lengths) {
        List<int[]> texts = new ArrayList<>();
        for (int length : lengths) {
            texts.add(
                    new SplittableRandom(seed * 31 + texts.size())
                            .ints(length, SPECIALS.size(), vocabulary())
                            .toArray());
        }
        return texts;
    }

    /** The whole content of the model. */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        describe(writer);
        describeVocabulary(writer);
        RandomTensors tensors =
                new RandomTensors(writer, type, false, new RandomRows(seed), Set.of());
        addEmbeddings(tensors);
        for (int layer = 0; layer < kind.layers; layer++) {
            addAttention(tensors, layer);
            addFeedForward(tensors, layer);
        }
        addHead(tensors);
        return writer;
    }

    private void describe(GgufWriter writer) {
        String prefix = kind.key + ".";
        writer.put("general.architecture", GgufValue.of(kind.key))
                .put(prefix + "block_count", GgufValue.of(kind.layers))
                .put(prefix + "context_length", GgufValue.of(CONTEXT))
                .put(prefix + "embedding_length", GgufValue.of(width()))
                .put(prefix + "feed_forward_length", GgufValue.of(INNER))
                .put(prefix + "attention.head_count", GgufValue.of(kind.heads))
                .put(prefix + "attention.causal", GgufValue.of(false))
                .put(prefix + "pooling_type", GgufValue.of(pooling));
        switch (kind) {
            case NOMIC, NOMIC_MOE, JINA3 ->
                    writer.put(prefix + "rope.freq_base", GgufValue.of(1000f));
            case MODERN ->
                    writer.put(prefix + "rope.freq_base", GgufValue.of(160000f))
                            .put(prefix + "attention.sliding_window", GgufValue.of(WINDOW));
            case GEMMA ->
                    writer.put(prefix + "rope.freq_base", GgufValue.of(1e6f))
                            .put(prefix + "attention.sliding_window", GgufValue.of(WINDOW))
                            .put(prefix + "attention.head_count_kv", GgufValue.of(2))
                            .put(prefix + "attention.key_length", GgufValue.of(64))
                            .put(prefix + "attention.value_length", GgufValue.of(64))
                            .put(prefix + "dense_2_feat_in", GgufValue.of(width()))
                            .put(prefix + "dense_2_feat_out", GgufValue.of(DENSE))
                            .put(prefix + "dense_3_feat_in", GgufValue.of(DENSE))
                            .put(prefix + "dense_3_feat_out", GgufValue.of(width()));
            case BERT, JINA2 -> {}
        }
        if (kind == Kind.NOMIC_MOE) {
            writer.put(prefix + "expert_count", GgufValue.of(EXPERTS))
                    .put(prefix + "expert_used_count", GgufValue.of(2))
                    .put(prefix + "moe_every_n_layers", GgufValue.of(2));
        }
        writer.put(
                prefix
                        + (kind == Kind.GEMMA
                                ? "attention.layer_norm_rms_epsilon"
                                : "attention.layer_norm_epsilon"),
                GgufValue.of(1e-6f));
    }

    private void describeVocabulary(GgufWriter writer) {
        List<String> tokens = new ArrayList<>(SPECIALS);
        tokens.addAll(PIECES);
        List<Integer> types = new ArrayList<>();
        for (int id = 0; id < vocabulary(); id++) {
            if (id >= tokens.size()) {
                tokens.add("\u2581word" + id);
            }
            types.add(id < SPECIALS.size() ? 3 : 1);
        }
        String prefix = "tokenizer.ggml.";
        writer.put(prefix + "model", GgufValue.of("bert"))
                .put(prefix + "tokens", GgufValue.texts(tokens))
                .put(prefix + "token_type", GgufValue.ints(types))
                .put(prefix + "token_type_count", GgufValue.of(2))
                .put(prefix + "padding_token_id", GgufValue.of(0))
                .put(prefix + "unknown_token_id", GgufValue.of(1))
                .put(prefix + "bos_token_id", GgufValue.of(2))
                .put(prefix + "cls_token_id", GgufValue.of(2))
                .put(prefix + "seperator_token_id", GgufValue.of(3))
                .put(prefix + "mask_token_id", GgufValue.of(4));
    }

    private void addEmbeddings(RandomTensors tensors) {
        tensors.matrix("token_embd.weight", List.of(width(), vocabulary()), 1);
        if (kind == Kind.GEMMA) {
            return;
        }
        norm(tensors, "token_embd_norm");
        if (kind != Kind.MODERN) {
            // Converters never write it in another type, which libllama could not add.
            tensors.floats(
                    "token_types.weight",
                    List.of(width(), 2),
                    tensors.rows().gaussian("token_types.weight", 0, 1));
        }
        if (kind == Kind.BERT) {
            tensors.matrix("position_embd.weight", List.of(width(), CONTEXT), 1);
        }
    }

    private void addAttention(RandomTensors tensors, int layer) {
        String prefix = "blk." + layer + ".";
        int queryRows = kind == Kind.GEMMA ? kind.heads * 64 : width();
        int keyRows = kind == Kind.GEMMA ? 2 * 64 : width();
        if (kind == Kind.MODERN || kind == Kind.NOMIC) {
            matrix(tensors, prefix + "attn_qkv", width(), queryRows + 2 * keyRows);
        } else {
            matrix(tensors, prefix + "attn_q", width(), queryRows);
            matrix(tensors, prefix + "attn_k", width(), keyRows);
            matrix(tensors, prefix + "attn_v", width(), keyRows);
        }
        matrix(tensors, prefix + "attn_output", queryRows, width());
        switch (kind) {
            case GEMMA -> {
                tensors.norm(prefix + "attn_q_norm.weight", 64, 1);
                tensors.norm(prefix + "attn_k_norm.weight", 64, 1);
                norm(tensors, prefix + "attn_norm");
                norm(tensors, prefix + "post_attention_norm");
            }
            case MODERN -> {
                if (layer > 0) {
                    norm(tensors, prefix + "attn_norm");
                }
            }
            case JINA2 -> {
                norm(tensors, prefix + "attn_output_norm");
                if (seed % 2 == 1) {
                    norm(tensors, prefix + "attn_q_norm");
                    norm(tensors, prefix + "attn_k_norm");
                    norm(tensors, prefix + "attn_norm_2");
                }
            }
            default -> norm(tensors, prefix + "attn_output_norm");
        }
    }

    private void addFeedForward(RandomTensors tensors, int layer) {
        String prefix = "blk." + layer + ".";
        switch (kind) {
            case GEMMA -> {
                norm(tensors, prefix + "ffn_norm");
                gated(tensors, prefix);
                norm(tensors, prefix + "post_ffw_norm");
            }
            case MODERN -> {
                norm(tensors, prefix + "ffn_norm");
                matrix(tensors, prefix + "ffn_up", width(), 2 * INNER);
                matrix(tensors, prefix + "ffn_down", INNER, width());
            }
            default -> {
                addPostNormFeedForward(tensors, prefix, layer);
                norm(tensors, prefix + "layer_output_norm");
            }
        }
    }

    private void addPostNormFeedForward(RandomTensors tensors, String prefix, int layer) {
        if (kind == Kind.NOMIC || kind == Kind.JINA2 && seed % 2 == 1) {
            gated(tensors, prefix);
        } else if (kind == Kind.NOMIC_MOE && layer % 2 == 1) {
            tensors.router(prefix + "ffn_gate_inp.weight", width(), EXPERTS);
            tensors.matrix(
                    prefix + "ffn_up_exps.weight",
                    List.of(width(), INNER, EXPERTS),
                    1 / Math.sqrt(width()));
            tensors.matrix(
                    prefix + "ffn_down_exps.weight",
                    List.of(INNER, width(), EXPERTS),
                    1 / Math.sqrt(INNER));
        } else {
            matrix(tensors, prefix + "ffn_up", width(), (kind == Kind.JINA2 ? 2 : 1) * INNER);
            matrix(tensors, prefix + "ffn_down", INNER, width());
        }
    }

    private void gated(RandomTensors tensors, String prefix) {
        matrix(tensors, prefix + "ffn_gate", width(), INNER);
        matrix(tensors, prefix + "ffn_up", width(), INNER);
        matrix(tensors, prefix + "ffn_down", INNER, width());
    }

    private void addHead(RandomTensors tensors) {
        if (kind == Kind.GEMMA || kind == Kind.MODERN) {
            norm(tensors, "output_norm");
        }
        if (kind == Kind.GEMMA) {
            tensors.matrix("dense_2.weight", List.of(width(), DENSE), 1 / Math.sqrt(width()));
            tensors.matrix("dense_3.weight", List.of(DENSE, width()), 1 / Math.sqrt(DENSE));
        }
        if (!ranks) {
            return;
        }
        if (kind == Kind.JINA2) {
            classifier(tensors, "cls", 1);
            return;
        }
        classifier(tensors, "cls", width());
        if (kind == Kind.MODERN) {
            norm(tensors, "cls.norm");
        }
        classifier(tensors, "cls.output", 1);
    }

    private void classifier(RandomTensors tensors, String name, int outputs) {
        tensors.matrix(name + ".weight", List.of(width(), outputs), 0.05);
        if (kind != Kind.MODERN) {
            tensors.vector(
                    name + ".bias", outputs, tensors.rows().gaussian(name + ".bias", 0, 0.1));
        }
    }

    /** A matrix, with a bias where files of the architecture have one. */
    private void matrix(RandomTensors tensors, String name, int inputs, int outputs) {
        tensors.matrix(name + ".weight", List.of(inputs, outputs), 1 / Math.sqrt(inputs));
        if (hasBias(name)) {
            String bias = name + ".bias";
            tensors.vector(bias, outputs, tensors.rows().gaussian(bias, 0, 0.1));
        }
    }

    private boolean hasBias(String name) {
        return switch (kind) {
            case BERT, NOMIC_MOE, JINA3 -> true;
            case JINA2 -> !name.endsWith("ffn_up") && !name.endsWith("ffn_gate");
            case NOMIC, MODERN, GEMMA -> false;
        };
    }

    private void norm(RandomTensors tensors, String name) {
        tensors.norm(name + ".weight", width(), 1);
        if (kind != Kind.MODERN && kind != Kind.GEMMA) {
            tensors.vector(
                    name + ".bias", width(), tensors.rows().gaussian(name + ".bias", 0, 0.1));
        }
    }
}
