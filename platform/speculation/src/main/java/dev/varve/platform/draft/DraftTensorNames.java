package dev.varve.platform.draft;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Names of the tensors in a draft file.
 *
 * @param fusion matrix that fuses all captured hidden states into one
 * @param fusionNorm norm after it
 * @param auxiliary norm of a captured state before it, followed by its number
 */
record DraftTensorNames(String fusion, String fusionNorm, String auxiliary) {
    /** Norm after the last layer. */
    static final String OUTPUT_NORM = "output_norm.weight";

    /** Table of embeddings, of the target or the draft's own. */
    static final String EMBEDDING = "token_embd.weight";

    /** Head, of the target or the draft's own. */
    static final String HEAD = "output.weight";

    /** The target's token of each token of a draft with fewer tokens. */
    static final String TOKENS = "d2t";

    /** Transition vector of each token to the next one; its presence makes a network DSpark. */
    static final String MARKOV_TABLE = "markov_w1.weight";

    /** Matrix from transition vectors to logits, without suffix. */
    static final String MARKOV_HEAD = "markov_w2";

    /** Matrix that computes the confidence in a draft token, without suffix. */
    static final String CONFIDENCE = "conf_proj";

    /** Vector of each token as a predecessor. */
    static final String PREDECESSOR = "selector_predecessor.weight";

    /** Vector of each token as a successor. */
    static final String SUCCESSOR = "selector_successor.weight";

    /** Weights the elements of both; its presence makes a network DFlash2. */
    static final String SELECTOR_HIDDEN = "selector_hidden.weight";

    static DraftTensorNames of(GgufFile file) {
        if (file.architecture().equals(DraftMetadataReader.DFLASH)) {
            return new DraftTensorNames("fc.weight", "enc.output_norm.weight", "");
        }
        boolean joined = file.tensor("dflash_fc.weight").isPresent();
        String prefix = joined ? "dflash_" : "dflash.";
        return new DraftTensorNames(
                prefix + "fc.weight", prefix + "hidden_norm.weight", "dflash.aux_hidden_norm.");
    }

    /**
     * Attention sinks: a score per head of a layer that takes part in the softmax without a value.
     */
    static String sinks(int layer) {
        return layer(layer, "attn_sinks.weight");
    }

    /** Name of a layer's tensor, without suffix. */
    static String layer(int layer, String name) {
        return WeightSelector.block(layer, name);
    }

    /** The norm before the feed-forward, which has two names. */
    String feedForwardNorm(GgufFile file, int layer) {
        String usual = layer(layer, "ffn_norm.weight");
        return file.tensor(usual).isPresent() ? usual : layer(layer, "post_attention_norm.weight");
    }

    /**
     * Selects all weights of a network except embedding and head.
     *
     * @throws ModelFormatException naming the tensor that is missing or has another shape
     */
    TensorSelection select(GgufFile file, DraftHyperparameters network) {
        WeightSelector selector = new WeightSelector(file);
        int hidden = network.sizes().hidden();
        DraftHyperparameters.Heads heads = network.heads();
        selector.add(fusion, TensorUse.MATMUL, network.featureLength(), hidden);
        selector.vector(fusionNorm, hidden);
        selector.vector(OUTPUT_NORM, hidden);
        selector.addIfPresent("fc.scale", TensorUse.ELEMENTWISE, 1);
        for (int i = 0; hasAuxiliary(file) && i < network.captures().size(); i++) {
            selector.vector(auxiliary + i + ".weight", hidden);
        }
        boolean gated = file.tensor(layer(0, "attn_gate.weight")).isPresent();
        for (int layer = 0; layer < network.layers(); layer++) {
            selector.vector(layer(layer, "attn_norm.weight"), hidden);
            selector.matrix(layer(layer, "attn_q"), hidden, heads.queryLength());
            selector.matrix(layer(layer, "attn_k"), hidden, heads.keyLength());
            if (selector.has(layer(layer, "attn_v.weight"))) {
                selector.matrix(layer(layer, "attn_v"), hidden, heads.keyLength());
            }
            selector.matrix(layer(layer, "attn_output"), heads.queryLength(), hidden);
            selector.vector(layer(layer, "attn_q_norm.weight"), heads.length());
            selector.vector(layer(layer, "attn_k_norm.weight"), heads.length());
            if (file.architecture().equals(DraftMetadataReader.DFLASH)) {
                selector.addIfPresent(sinks(layer), TensorUse.ELEMENTWISE, heads.count());
            }
            if (gated) {
                gate(file, selector, network, layer);
            }
            String norm = feedForwardNorm(file, layer);
            selector.vector(norm, hidden);
            for (String optional : List.of("post_attention_norm.weight", "post_ffw_norm.weight")) {
                if (!norm.equals(layer(layer, optional))) {
                    selector.addIfPresent(layer(layer, optional), TensorUse.ELEMENTWISE, hidden);
                }
            }
            selector.addIfPresent(
                    layer(layer, "layer_output_scale.weight"), TensorUse.ELEMENTWISE, 1);
            int inner = network.sizes().feedForward();
            selector.matrix(layer(layer, "ffn_gate"), hidden, inner);
            selector.matrix(layer(layer, "ffn_up"), hidden, inner);
            selector.matrix(layer(layer, "ffn_down"), inner, hidden);
        }
        selector.addIfPresent(
                "rope_freqs.weight", TensorUse.ELEMENTWISE, network.heads().length() / 2);
        switch (network.method()) {
            case BlockDecoding.Plain plain -> {}
            case BlockDecoding.Markov markov -> add(file, selector, network, markov);
            case BlockDecoding.Selector chooser -> add(selector, network, chooser);
        }
        return selector.build();
    }

    private static void add(
            GgufFile file,
            WeightSelector selector,
            DraftHyperparameters network,
            BlockDecoding.Markov markov) {
        int vocabulary = network.sizes().vocabulary();
        long rows = file.tensor(TOKENS).map(tokens -> tokens.ne(0)).orElse((long) vocabulary);
        selector.add(MARKOV_TABLE, TensorUse.COMPUTED_LOOKUP, markov.rank(), vocabulary);
        // Its rows are looked up if drafts branch.
        selector.add(MARKOV_HEAD + ".weight", TensorUse.COMPUTED_LOOKUP, markov.rank(), rows);
        selector.addIfPresent(MARKOV_HEAD + ".scale", TensorUse.ELEMENTWISE, 1);
        selector.addIfPresent(MARKOV_HEAD + ".bias", TensorUse.ELEMENTWISE, rows);
        if (markov.confident()) {
            selector.matrix(CONFIDENCE, network.sizes().hidden() + markov.rank(), 1);
        }
    }

    private static void add(
            WeightSelector selector, DraftHyperparameters network, BlockDecoding.Selector chooser) {
        int hidden = network.sizes().hidden();
        int vocabulary = network.sizes().vocabulary();
        selector.add(PREDECESSOR, TensorUse.COMPUTED_LOOKUP, chooser.rank(), vocabulary);
        selector.add(SUCCESSOR, TensorUse.COMPUTED_LOOKUP, chooser.rank(), vocabulary);
        selector.add(SELECTOR_HIDDEN, TensorUse.MATMUL, hidden, chooser.rank());
        BlockDecoding.ConvolutionParameters convolution = chooser.convolution();
        for (int layer = 0; layer < network.layers(); layer++) {
            for (BlockConvolution.SubLayer part : BlockConvolution.SubLayer.values()) {
                selector.add(
                        part.base(layer), TensorUse.ELEMENTWISE, hidden, convolution.kernel(), 2);
                selector.matrix(part.projection(layer), hidden, convolution.changes(hidden));
            }
        }
    }

    /**
     * Rejects a file with unknown tensors: the network would compute something else.
     *
     * @param used known tensors of the network
     */
    void requireKnown(GgufFile file, TensorSelection used) {
        Set<String> known = new HashSet<>(Set.of(EMBEDDING, HEAD));
        used.entries().forEach(entry -> known.add(entry.tensor().name()));
        if (file.architecture().equals(DraftMetadataReader.DFLASH)) {
            known.add(TOKENS);
        }
        for (GgufTensor tensor : file.tensors()) {
            if (!known.contains(tensor.name())) {
                throw new ModelFormatException(
                        file.path(),
                        tensor.name(),
                        "no such tensor in a network of this kind",
                        tensor.describe());
            }
        }
    }

    boolean hasAuxiliary(GgufFile file) {
        return !auxiliary.isEmpty() && file.tensor(auxiliary + "0.weight").isPresent();
    }

    private static void gate(
            GgufFile file, WeightSelector selector, DraftHyperparameters network, int layer) {
        String name = layer(layer, "attn_gate.weight");
        long rows = file.requireTensor(name).ne(1);
        DraftHyperparameters.Heads heads = network.heads();
        if (rows != heads.count() && rows != heads.queryLength()) {
            throw new ModelFormatException(
                    file.path(),
                    name,
                    "a row per head, " + heads.count() + ", or per channel, " + heads.queryLength(),
                    Long.toString(rows));
        }
        selector.matrix(layer(layer, "attn_gate"), network.sizes().hidden(), rows);
    }
}
