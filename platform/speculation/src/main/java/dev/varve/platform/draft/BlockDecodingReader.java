package dev.varve.platform.draft;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.ModelKeys;

import java.util.List;
import java.util.Optional;

/**
 * Reads how a network in llama.cpp's format decodes tokens. The tensors of the file decide, and its
 * keys must agree with them.
 */
final class BlockDecodingReader {
    private static final List<String> SELECTOR_KEYS =
            List.of("conv_kernel_size", "conv_group_size", "selector_rank", "selector_top_k");
    private static final int MOST_KERNEL = 64;

    private final GgufFile file;
    private final ModelKeys keys;
    private final int hidden;
    private final int vocabulary;

    private BlockDecodingReader(GgufFile file, ModelKeys keys, int hidden, int vocabulary) {
        this.file = file;
        this.keys = keys;
        this.hidden = hidden;
        this.vocabulary = vocabulary;
    }

    /**
     * Reads the decoding method.
     *
     * @throws ModelFormatException if the file has the tensors of two methods, or its keys and
     *     tensors contradict
     */
    static BlockDecoding read(GgufFile file, ModelKeys keys, int hidden, int vocabulary) {
        return new BlockDecodingReader(file, keys, hidden, vocabulary).read();
    }

    private BlockDecoding read() {
        Optional<GgufTensor> markov = file.tensor(DraftTensorNames.MARKOV_TABLE);
        Optional<GgufTensor> selector = file.tensor(DraftTensorNames.SELECTOR_HIDDEN);
        if (markov.isPresent() && selector.isPresent()) {
            throw new ModelFormatException(
                    file.path(),
                    selector.get().name(),
                    "no such tensor beside " + markov.get().name(),
                    selector.get().describe());
        }
        if (markov.isEmpty() && keys.isSet("sample_from_anchor")) {
            throw keys.wrong(
                    "sample_from_anchor", "false without " + DraftTensorNames.MARKOV_TABLE, true);
        }
        if (selector.isPresent()) {
            return selector(selector.get());
        }
        for (String key : SELECTOR_KEYS) {
            int value = keys.count(key, Integer.MAX_VALUE);
            if (value > 0) {
                throw keys.wrong(key, "0 without " + DraftTensorNames.SELECTOR_HIDDEN, value);
            }
        }
        return markov.map(this::markov).orElseGet(BlockDecoding.Plain::new);
    }

    private BlockDecoding markov(GgufTensor table) {
        keys.positive("block_size");
        boolean confident = file.tensor(DraftTensorNames.CONFIDENCE + ".weight").isPresent();
        if (!confident && keys.isSet("has_confidence_head")) {
            throw keys.wrong(
                    "has_confidence_head",
                    "false without " + DraftTensorNames.CONFIDENCE + ".weight",
                    true);
        }
        return new BlockDecoding.Markov(
                rank(table.ne(0), table),
                !keys.has("sample_from_anchor") || keys.isSet("sample_from_anchor"),
                confident,
                scores());
    }

    private BlockDecoding selector(GgufTensor projection) {
        keys.positive("block_size");
        int rank = keys.positive("selector_rank");
        if (projection.ne(1) != rank) {
            throw keys.wrong(
                    "selector_rank",
                    projection.ne(1) + " (as " + projection.name() + " has)",
                    rank);
        }
        int candidates = keys.positive("selector_top_k");
        if (candidates > vocabulary) {
            throw keys.wrong("selector_top_k", "1 to " + vocabulary, candidates);
        }
        int kernel = keys.positive("conv_kernel_size");
        if (kernel > MOST_KERNEL) {
            throw keys.wrong("conv_kernel_size", "1 to " + MOST_KERNEL, kernel);
        }
        int group = keys.positive("conv_group_size");
        if (hidden % group != 0) {
            throw keys.wrong("conv_group_size", "a divisor of the width, " + hidden, group);
        }
        if (file.tensor(DraftTensorNames.TOKENS).isPresent()) {
            throw new ModelFormatException(
                    file.path(),
                    DraftTensorNames.TOKENS,
                    "no such tensor beside " + projection.name(),
                    "one");
        }
        return new BlockDecoding.Selector(
                rank(rank, projection),
                candidates,
                new BlockDecoding.ConvolutionParameters(kernel, group),
                scores());
    }

    private int rank(long rank, GgufTensor of) {
        if (rank > hidden) {
            throw new ModelFormatException(
                    file.path(), of.name(), "a rank up to the width, " + hidden, of.describe());
        }
        return (int) rank;
    }

    private BlockDecoding.LogitScaling scores() {
        float scale = keys.number("logit_scale", 1);
        if (scale <= 0) {
            throw keys.wrong("logit_scale", "a positive number", scale);
        }
        float cap = keys.number("final_logit_softcapping", 0);
        if (cap < 0) {
            throw keys.wrong("final_logit_softcapping", "a positive number, or 0", cap);
        }
        return new BlockDecoding.LogitScaling(scale, cap);
    }
}
