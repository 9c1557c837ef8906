package dev.varve.plugin.gemma4;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelKeys;
import dev.varve.api.model.ModelOptions;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Hyper-parameters of a {@code gemma4-assistant} file, checked against the model that it belongs
 * to.
 *
 * @param width of the hidden state between its blocks
 * @param epsilon of its norms
 * @param rows source layers of the keys and values that each block reads
 * @param attention of its blocks; heads of keys and values are those of the model
 * @param feedForward widths, per block
 */
record AssistantSizes(
        int width, float epsilon, Rows rows, Gemma4Sizes.Attention attention, int[] feedForward) {
    /** A window is reduced by the draft position, and must keep another one. */
    private static final int LEAST_WINDOW = 3;

    /**
     * Keys and values.
     *
     * @param sliding per block, whether it attends to a window
     * @param window positions that a block sees, including that of the draft token
     * @param sources per block, the model's layer whose rows it reads
     */
    record Rows(boolean[] sliding, int window, int[] sources) {
        /** The first block that reads the same rows. */
        int first(int block) {
            int first = 0;
            while (sliding[first] != sliding[block]) {
                first++;
            }
            return first;
        }
    }

    int blocks() {
        return rows.sliding().length;
    }

    /** The model's layers whose rows are read, ascending. */
    int[] sources() {
        return Arrays.stream(rows.sources()).distinct().sorted().toArray();
    }

    /**
     * Reads a file.
     *
     * @throws dev.varve.api.gguf.ModelFormatException naming the key if it does not fit the model
     */
    static AssistantSizes read(GgufFile file, ModelOptions options, Gemma4Sizes target) {
        ModelKeys keys = ModelKeys.ofMtpBlocks(file, options);
        int made = keys.positive("embedding_length_out");
        if (made != target.width()) {
            throw keys.wrong(
                    "embedding_length_out", target.width() + " as in the target model", made);
        }
        boolean[] sliding = Gemma4Sizes.sliding(keys);
        int window = window(keys);
        int[] sources =
                IntStream.range(0, sliding.length)
                        .map(block -> source(keys, sliding[block], target))
                        .toArray();
        Gemma4Sizes.Attention attention = Gemma4Sizes.attention(keys, keys.width());
        for (int block = 0; block < sliding.length; block++) {
            requireHeads(keys, attention, block, sliding[block], target, sources[block]);
        }
        return new AssistantSizes(
                keys.width(),
                keys.epsilon(),
                new Rows(sliding, window, sources),
                attention,
                keys.perLayer("feed_forward_length"));
    }

    private static int window(ModelKeys keys) {
        String name = "attention.sliding_window";
        int window = keys.positive(name);
        if (window < LEAST_WINDOW) {
            throw keys.wrong(name, "from " + LEAST_WINDOW, window);
        }
        return window;
    }

    /** Full blocks read the rows of the last layer, sliding ones those of the layer before it. */
    private static int source(ModelKeys keys, boolean slides, Gemma4Sizes target) {
        int layer = target.layers() - (slides ? 2 : 1);
        if (layer < 0 || target.isSliding(layer) != slides) {
            throw keys.wrong(
                    "attention.sliding_window_pattern",
                    "no "
                            + (slides ? "sliding" : "full")
                            + " block, since layer "
                            + layer
                            + " of the target model is none",
                    slides ? "a sliding block" : "a full block");
        }
        return target.rows().sources()[layer];
    }

    private static void requireHeads(
            ModelKeys keys,
            Gemma4Sizes.Attention attention,
            int block,
            boolean slides,
            Gemma4Sizes target,
            int source) {
        int length = target.headLength(source);
        int found = attention.head(slides).length();
        String as = " as in layer " + source + " of the target model";
        if (found != length) {
            throw keys.wrong(
                    slides ? "attention.key_length_swa" : "attention.key_length",
                    length + as,
                    found);
        }
        int heads = target.attention().kvHeads()[source];
        if (attention.kvHeads()[block] != heads) {
            throw keys.wrong(
                    "attention.head_count_kv",
                    heads + as + ", in block " + block,
                    attention.kvHeads()[block]);
        }
    }
}
