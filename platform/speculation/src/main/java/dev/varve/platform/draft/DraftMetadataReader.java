package dev.varve.platform.draft;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Reads the network's parameters from a draft file: in the format of llama.cpp, architecture {@code
 * dflash}, or in that of the first published ones, {@code *-dflash-draft}. They number captured
 * layers differently: by the input and by the output of a layer.
 */
final class DraftMetadataReader {
    /** llama.cpp's format. */
    static final String DFLASH = "dflash";

    private static final Set<String> REFERENCE =
            Set.of("qwen35-dflash-draft", "dflash-draft", "gemma4-dflash-draft");
    private static final int MOST_BLOCK = 64;
    private static final int MOST_LAYERS = 1024;

    private final GgufFile file;
    private final ModelShape target;
    private final GgufFile targetFile;
    private final ModelKeys keys;
    private final boolean reference;

    private DraftMetadataReader(GgufFile file, GgufFile targetFile, ModelShape target) {
        this.file = file;
        this.targetFile = targetFile;
        this.target = target;
        reference = REFERENCE.contains(file.architecture());
        keys = new ModelKeys(file, ModelOptions.defaults());
    }

    /**
     * Reads a file and checks it against its target.
     *
     * @throws ModelFormatException naming key or tensor, what was expected and found, if it is no
     *     draft or does not fit the target
     */
    static DraftHyperparameters read(GgufFile file, GgufFile targetFile, ModelShape target) {
        requireKnown(file);
        return new DraftMetadataReader(file, targetFile, target).read();
    }

    static boolean isDraft(String architecture) {
        return architecture.equals(DFLASH) || REFERENCE.contains(architecture);
    }

    private static void requireKnown(GgufFile file) {
        String architecture = file.architecture();
        if (!isDraft(architecture)) {
            throw new ModelFormatException(
                    file.path(),
                    "general.architecture",
                    "a draft model: "
                            + DFLASH
                            + " or one of "
                            + REFERENCE.stream().sorted().toList(),
                    architecture);
        }
        String connections = architecture + ".hyper_connection.count";
        if (file.metadata().findInteger(connections).orElse(0) > 0) {
            throw new ModelFormatException(
                    file.path(),
                    connections,
                    "0 (no hyper-connections)",
                    Long.toString(file.metadata().findInteger(connections).getAsLong()));
        }
    }

    private DraftHyperparameters read() {
        int hidden = keys.width();
        if (hidden != target.embeddingLength()) {
            throw keys.wrong(
                    "embedding_length",
                    target.embeddingLength() + " (the width of " + targetFile.path() + ")",
                    hidden);
        }
        if (keys.layers() > MOST_LAYERS) {
            throw keys.wrong("block_count", "at most " + MOST_LAYERS, keys.layers());
        }
        DraftHyperparameters.Heads heads = heads(hidden);
        return new DraftHyperparameters(
                new DraftHyperparameters.Sizes(
                        hidden,
                        keys.positive("feed_forward_length"),
                        target.vocabularySize(),
                        keys.has("attention.layer_norm_rms_epsilon") ? keys.epsilon() : 1e-6f),
                heads,
                rope(heads.length()),
                block(),
                captures(hidden),
                rules(),
                variant(hidden),
                reference
                        ? new BlockDecoding.Plain()
                        : BlockDecodingReader.read(file, keys, hidden, target.vocabularySize()));
    }

    private DraftHyperparameters.Heads heads(int hidden) {
        int count = keys.positive("attention.head_count");
        int kv = keys.positive("attention.head_count_kv", count);
        if (kv > count || count % kv != 0) {
            throw keys.wrong("attention.head_count", "a multiple of the KV heads, " + kv, count);
        }
        int length =
                keys.headLength(
                        "attention.key_length",
                        "attention.value_length",
                        Math.max(1, hidden / count));
        float scale = keys.number("attention.scale", (float) (1 / Math.sqrt(length)));
        return new DraftHyperparameters.Heads(count, kv, length, scale);
    }

    private RopeOptions rope(int headLength) {
        String name = "rope.freq_base";
        if (!keys.has(name)) {
            throw keys.wrong(name, "the base of the rotary embedding", "nothing");
        }
        // For text, sections for several axes are the same as one axis that rotates all pairs.
        return RopeOptions.plain(
                headLength,
                RopeOptions.Mode.NEOX,
                keys.ropeBase(name, 1),
                keys.positive("context_length", target.contextLength()));
    }

    private DraftHyperparameters.Block block() {
        String name = reference ? "dflash.block_size" : "block_size";
        int tokens = reference ? keys.positive(name) : keys.positive(name, 16);
        if (tokens < 2 || tokens > MOST_BLOCK) {
            throw keys.wrong(name, "2 to " + MOST_BLOCK, tokens);
        }
        return new DraftHyperparameters.Block(tokens, maskToken());
    }

    private int maskToken() {
        String name = "tokenizer.ggml.mask_token_id";
        long mask =
                file.metadata()
                        .findInteger(file.architecture() + ".dflash.mask_token_id")
                        .orElseGet(
                                () ->
                                        file.metadata()
                                                .findInteger(name)
                                                .orElseGet(
                                                        () ->
                                                                targetFile
                                                                        .metadata()
                                                                        .findInteger(name)
                                                                        .orElse(-1)));
        if (mask < 0 || mask >= target.vocabularySize()) {
            throw new ModelFormatException(
                    file.path(),
                    name,
                    "a token of the target, 0 to " + (target.vocabularySize() - 1),
                    mask < 0 ? "none" : Long.toString(mask));
        }
        return (int) mask;
    }

    private List<Integer> captures(int hidden) {
        GgufTensor fusion = file.requireTensor(DraftTensorNames.of(file).fusion());
        long width = fusion.ne(0);
        if (width % hidden != 0) {
            throw new ModelFormatException(
                    file.path(),
                    fusion.name(),
                    "rows of a multiple of " + hidden,
                    fusion.describe());
        }
        int count = (int) (width / hidden);
        long[] layers = layers(count);
        String name = reference ? "dflash.target_layer_ids" : "target_layers";
        if (layers.length != count) {
            throw keys.wrong(
                    name,
                    count + " layers (as " + fusion.name() + " has)",
                    Arrays.toString(layers));
        }
        List<Integer> captures = new ArrayList<>();
        long before = -1;
        for (long layer : layers) {
            if (layer <= before || layer > target.layerCount()) {
                throw keys.wrong(
                        name,
                        "layers of the target in ascending order, which has " + target.layerCount(),
                        Arrays.toString(layers));
            }
            captures.add((int) layer);
            before = layer;
        }
        return captures;
    }

    /** Layers whose inputs are captured. */
    private long[] layers(int count) {
        if (!reference) {
            return keys.integers("target_layers");
        }
        String name = "dflash.target_layer_ids";
        long[] outputs = keys.has(name) ? keys.integers(name) : usualOutputs(count);
        return Arrays.stream(outputs).map(output -> output + 1).toArray();
    }

    /** Layer outputs with which drafts without a list were trained. */
    private long[] usualOutputs(int count) {
        int layers = target.layerCount();
        boolean rounds = file.architecture().startsWith("gemma4");
        long[] outputs = new long[count];
        for (int i = 0; i < count; i++) {
            outputs[i] =
                    rounds
                            ? Math.round(1 + i * (layers - 4.0) / Math.max(1, count - 1))
                            : 1 + (long) i * ((layers - 2) / Math.max(1, count - 1));
        }
        return outputs;
    }

    private List<DraftHyperparameters.LayerAttention> rules() {
        int layers = keys.layers();
        String name = "attention.sliding_window";
        boolean causal = keys.isSet("attention.causal");
        DraftHyperparameters.LayerAttention full =
                new DraftHyperparameters.LayerAttention(OptionalInt.empty(), causal, false);
        List<DraftHyperparameters.LayerAttention> rules = new ArrayList<>();
        Optional<boolean[]> slides = keys.flags(name + "_pattern");
        boolean windowed = keys.has(name) && keys.count(name, Integer.MAX_VALUE) > 0;
        for (int layer = 0; layer < layers; layer++) {
            // Without a pattern all layers have the window.
            boolean sliding = windowed && (slides.isEmpty() || slides.get()[layer]);
            rules.add(
                    sliding
                            ? new DraftHyperparameters.LayerAttention(
                                    OptionalInt.of(keys.positive(name)),
                                    reference || causal,
                                    reference)
                            : full);
        }
        return rules;
    }

    private DraftHyperparameters.ArchitectureOptions variant(int hidden) {
        boolean gemma = file.architecture().startsWith("gemma4");
        float scale = keys.number("embedding_scale", gemma ? (float) Math.sqrt(hidden) : 1);
        String activation =
                file.metadata()
                        .findString(file.architecture() + ".hidden_activation")
                        .orElse("silu");
        if (!List.of("silu", "gelu", "gelu_pytorch_tanh").contains(activation)) {
            throw keys.wrong("hidden_activation", "silu or gelu", activation);
        }
        boolean gated = file.tensor("blk.0.attn_gate.weight").isPresent();
        boolean normed = file.tensor("dflash.aux_hidden_norm.0.weight").isPresent();
        boolean normsContext =
                reference && (gated || normed || keys.count("dflash.context_kv_layer_norm", 1) > 0);
        return new DraftHyperparameters.ArchitectureOptions(
                scale, !activation.equals("silu"), normsContext);
    }
}
