package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;

/**
 * A random model of the {@code internlm2} architecture, which no plugin of the installation serves:
 * the plugin guide's example does. Dense layers of full attention, and a head of its own.
 *
 * @param size layers, widths, vocabulary and context
 * @param heads query heads and KV heads
 * @param weights type and seed
 */
public record Internlm2Model(Qwen35Model.Size size, Heads heads, Weights weights) {
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
     * Generation of the weights.
     *
     * @param type of all matrices; those whose rows are no whole blocks fall back to another
     * @param seed of all random values
     */
    public record Weights(TensorType type, long seed) {}

    /** Four layers of width 128 in F32. */
    public static Internlm2Model tiny() {
        return new Internlm2Model(
                new Qwen35Model.Size(4, 128, 256, 320, 4096),
                new Heads(4, 2, 32),
                new Weights(TensorType.F32, 1));
    }

    /** The same shape with other values or of another type. */
    public Internlm2Model withWeights(Weights other) {
        return new Internlm2Model(size, heads, other);
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code internlm2-l<layers>-e<width>-<type>-<digest>.gguf}
     */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                "internlm2",
                size,
                weights.type(),
                CONTENTS_VERSION + toString(),
                this::writer);
    }

    /** The whole content, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        DenseModel.Shape shape =
                new DenseModel.Shape(
                        "internlm2",
                        size,
                        new Qwen3Model.Attention(
                                heads.query(), heads.keyValue(), heads.length(), false, false),
                        false);
        shape.describeIn(writer);
        new DenseModel(shape, new Qwen3Model.Weights(weights.type(), false, false, weights.seed()))
                .writeTo(writer, Qwen35Model.CHAT_ML);
        return writer;
    }

    /** Random token ids that a greedy run could have produced. */
    public int[] randomTokens(int count, long tokenSeed) {
        return Qwen35Model.tiny().randomTokens(count, tokenSeed);
    }
}
