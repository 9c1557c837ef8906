package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A random DFlash2 draft: a DFlash network that mixes the rows of its block, and chooses among the
 * best tokens of each slot by the tokens before it.
 *
 * @param network in llama.cpp's form
 * @param convolution mixing of the rows
 * @param selector choice of the tokens
 * @param scores changes of the logits before the choice
 */
public record Dflash2Model(
        DflashModel network, Convolution convolution, Selector selector, Scores scores) {
    /**
     * Mixing of the rows.
     *
     * @param kernel rows that are mixed
     * @param group channels whose taps change together
     */
    public record Convolution(int kernel, int group) {}

    /**
     * Choice of the tokens.
     *
     * @param rank elements of the vector by which a token affects the next one
     * @param candidates tokens of a slot
     */
    public record Selector(int rank, int candidates) {}

    /**
     * Changes of the logits before the choice.
     *
     * @param scale their factor
     * @param cap bound of their absolute values; 0 for none
     */
    public record Scores(float scale, float cap) {
        public static final Scores PLAIN = new Scores(1, 0);
    }

    /** Two taps, four candidates. */
    public static Dflash2Model of(DflashModel network) {
        return new Dflash2Model(network, new Convolution(2, 16), new Selector(8, 4), Scores.PLAIN);
    }

    /** The same with rows mixed otherwise. */
    public Dflash2Model with(Convolution other) {
        return new Dflash2Model(network, other, selector, scores);
    }

    /** The same with other choices. */
    public Dflash2Model with(Selector other) {
        return new Dflash2Model(network, convolution, other, scores);
    }

    /** The same with other scores. */
    public Dflash2Model with(Scores other) {
        return new Dflash2Model(network, convolution, selector, other);
    }

    /** Writes the model, unless this folder has it already. */
    public Path write(Path folder) throws IOException {
        return network.write(folder, "dflash2", toString(), this::writer);
    }

    /** The whole content, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer = network.writer();
        writer.put("dflash.conv_kernel_size", GgufValue.of(convolution.kernel()));
        writer.put("dflash.conv_group_size", GgufValue.of(convolution.group()));
        writer.put("dflash.selector_rank", GgufValue.of(selector.rank()));
        writer.put("dflash.selector_top_k", GgufValue.of(selector.candidates()));
        if (!scores.equals(Scores.PLAIN)) {
            writer.put("dflash.logit_scale", GgufValue.of(scores.scale()));
            writer.put("dflash.final_logit_softcapping", GgufValue.of(scores.cap()));
        }
        RandomTensors tensors = network.tensors(writer);
        int width = network.target().width();
        int vocabulary = network.target().vocabulary();
        int rank = selector.rank();
        tensors.matrix("selector_predecessor.weight", List.of(rank, vocabulary), 1);
        tensors.matrix("selector_successor.weight", List.of(rank, vocabulary), 1);
        tensors.matrix("selector_hidden.weight", List.of(width, rank), 1 / Math.sqrt(width));
        int changes = 2 * convolution.kernel() * (width / convolution.group());
        for (int layer = 0; layer < network.network().layers(); layer++) {
            for (String part : List.of("attn", "ffn")) {
                String prefix = "blk." + layer + "." + part;
                tensors.floats(
                        prefix + "_conv_base",
                        List.of(width, convolution.kernel(), 2),
                        new RandomRows(network.weights().seed())
                                .gaussian(prefix + "_conv_base", 0.5, 0.3));
                tensors.matrix(
                        prefix + "_conv_proj.weight",
                        List.of(width, changes),
                        0.3 / Math.sqrt(width));
            }
        }
        return writer;
    }
}
