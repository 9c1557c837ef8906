package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Description of a random {@code qwen3} model, from which the same file is written every time:
 * dense layers of full attention, with norms on the heads of queries and keys.
 *
 * <p>The weights make a network as well behaved as those of {@link Qwen35Model}.
 *
 * @param chatTemplate Jinja text; empty for a file without one
 */
public record Qwen3Model(
        Qwen35Model.Size size,
        Attention attention,
        Scaling scaling,
        Weights weights,
        String chatTemplate) {
    /**
     * Raised when the contents of the files change, so that files written earlier are not taken for
     * new ones.
     */
    private static final int CONTENTS_VERSION = 2;

    private static final List<TensorType> TYPES =
            List.of(
                    TensorType.F16,
                    TensorType.Q8_0,
                    TensorType.Q4_0,
                    TensorType.Q4_K,
                    TensorType.Q6_K,
                    TensorType.BF16);

    /**
     * @param fusedQkv whether layers carry {@code attn_qkv} instead of three matrices
     * @param biases whether the query, key and value projections have biases
     */
    public record Attention(int heads, int kvHeads, int headDim, boolean fusedQkv, boolean biases) {
        public Attention {
            if (heads % kvHeads != 0) {
                throw new IllegalArgumentException("heads " + heads + "/" + kvHeads);
            }
        }

        int queryRows() {
            return heads * headDim;
        }

        int keyRows() {
            return kvHeads * headDim;
        }
    }

    /** Scaling of positions beyond those of the training. */
    public sealed interface Scaling {
        /** Nothing is written. */
        record None() implements Scaling {}

        /** Scales all frequencies alike. */
        record Linear(float factor) implements Scaling {}

        /**
         * Scales low frequencies only.
         *
         * @param originalContext positions of the training
         */
        record Yarn(float factor, int originalContext) implements Scaling {}
    }

    /**
     * @param type of all matrices; norms and biases are always F32
     * @param tiedHead whether the output matrix is the embedding
     * @param patterned whether matrices repeat slices of one random pattern, which writes large
     *     files fast
     */
    public record Weights(TensorType type, boolean tiedHead, boolean patterned, long seed) {}

    /** Four layers of width 128 in F32, whose heads together are wider, with a tied head. */
    public static Qwen3Model tiny() {
        return new Qwen3Model(
                new Qwen35Model.Size(4, 128, 256, 320, 4096),
                new Attention(4, 2, 64, false, false),
                new Scaling.None(),
                new Weights(TensorType.F32, true, false, 1),
                Qwen35Model.CHAT_ML);
    }

    /**
     * Odd shapes drawn from {@code seed}. Forms follow from remainders of the seed, so that each is
     * known to occur: seed mod 4 is 2 for YaRN and 3 for linear scaling, seed mod 7 is 2 for fused
     * projections, seed mod 3 is 1 for biases, and seed mod 6 decides the type.
     */
    public static Qwen3Model odd(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 7901 + 29);
        int kvHeads = 1 + random.nextInt(3);
        int heads = kvHeads * (1 + random.nextInt(4));
        return new Qwen3Model(
                new Qwen35Model.Size(
                        2 + random.nextInt(5),
                        Qwen35Model.pick(random, 96, 160, 256, 288),
                        Qwen35Model.pick(random, 160, 224, 416, 512),
                        TestVocabulary.MINIMUM + 9 + random.nextInt(200),
                        2048),
                new Attention(
                        heads,
                        kvHeads,
                        Qwen35Model.pick(random, 32, 64, 96, 128),
                        Math.floorMod(seed, 7) == 2,
                        Math.floorMod(seed, 3) == 1),
                switch (Math.floorMod(seed, 4)) {
                    case 2 ->
                            new Scaling.Yarn(
                                    Qwen35Model.pick(random, 2, 4, 32),
                                    Qwen35Model.pick(random, 64, 128, 256));
                    case 3 -> new Scaling.Linear(Qwen35Model.pick(random, 2, 3, 8));
                    default -> new Scaling.None();
                },
                new Weights(
                        TYPES.get(Math.floorMod(seed, TYPES.size())),
                        random.nextBoolean(),
                        false,
                        seed),
                Qwen35Model.CHAT_ML);
    }

    /**
     * The shape of the 0.6B release with random Q4_0 weights; about 340 MB at a vocabulary of
     * 151936.
     */
    public static Qwen3Model real06b(int vocabulary) {
        return new Qwen3Model(
                new Qwen35Model.Size(28, 1024, 3072, vocabulary, 40960),
                new Attention(16, 8, 128, false, false),
                new Scaling.None(),
                new Weights(TensorType.Q4_0, true, true, 1),
                Qwen35Model.CHAT_ML);
    }

    /** The same model with matrices of another type. */
    public Qwen3Model withType(TensorType type) {
        return withWeights(
                new Weights(type, weights.tiedHead(), weights.patterned(), weights.seed()));
    }

    /** The same shape with other random values. */
    public Qwen3Model withSeed(long seed) {
        return withWeights(
                new Weights(weights.type(), weights.tiedHead(), weights.patterned(), seed));
    }

    /** The same model with or without a head of its own. */
    public Qwen3Model withTiedHead(boolean tied) {
        return withWeights(new Weights(weights.type(), tied, weights.patterned(), weights.seed()));
    }

    public Qwen3Model withWeights(Weights other) {
        return new Qwen3Model(size, attention, scaling, other, chatTemplate);
    }

    public Qwen3Model withSize(Qwen35Model.Size other) {
        return new Qwen3Model(other, attention, scaling, weights, chatTemplate);
    }

    public Qwen3Model withAttention(Attention other) {
        return new Qwen3Model(size, other, scaling, weights, chatTemplate);
    }

    public Qwen3Model withScaling(Scaling other) {
        return new Qwen3Model(size, attention, other, weights, chatTemplate);
    }

    public Qwen3Model withChatTemplate(String template) {
        return new Qwen3Model(size, attention, scaling, weights, template);
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code qwen3-l<layers>-e<width>-<type>-<digest>.gguf}, where the digest covers the
     *     whole description
     */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder, "qwen3", size, weights.type(), CONTENTS_VERSION + toString(), this::writer);
    }

    /**
     * The whole content of the model, for callers that change values or tensors, or split it,
     * before writing.
     */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        DenseModel.Shape shape = new DenseModel.Shape("qwen3", size, attention, true);
        shape.describeIn(writer);
        describeScaling(writer);
        new DenseModel(shape, weights).writeTo(writer, chatTemplate);
        return writer;
    }

    private void describeScaling(GgufWriter writer) {
        switch (scaling) {
            case Scaling.None() -> {}
            case Scaling.Linear(float factor) ->
                    writer.put("qwen3.rope.scaling.type", GgufValue.of("linear"))
                            .put("qwen3.rope.scaling.factor", GgufValue.of(factor));
            case Scaling.Yarn(float factor, int original) ->
                    writer.put("qwen3.rope.scaling.type", GgufValue.of("yarn"))
                            .put("qwen3.rope.scaling.factor", GgufValue.of(factor))
                            .put(
                                    "qwen3.rope.scaling.original_context_length",
                                    GgufValue.of(original));
        }
    }

    /**
     * Random token ids that a greedy run could have produced: neither control tokens nor out of
     * range.
     */
    public int[] randomTokens(int count, long tokenSeed) {
        return Qwen35Model.tiny().randomTokens(count, tokenSeed);
    }
}
