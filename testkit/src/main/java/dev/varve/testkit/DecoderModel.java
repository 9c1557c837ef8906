package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A random model of a {@link DecoderLayout}, from which the same file is written every time. The
 * seed also decides the forms that files of the architecture may have: tied head, fused matrices,
 * biases, scaled rotations.
 *
 * @param type of all matrices, {@link TensorType#MXFP4} of experts only; norms, biases and routers
 *     are F32
 */
public record DecoderModel(DecoderLayout layout, long seed, TensorType type, Size size) {
    /**
     * Raised when the contents of the files change, so that files written earlier are not taken for
     * new ones.
     */
    private static final int CONTENTS_VERSION = 4;

    static final int CONTEXT = 4096;

    /** Sequences that may be longer have other factors of their rotations, in some files. */
    public static final int LONG_CONTEXT = 512;

    /**
     * Numbers of elements.
     *
     * @param feedForward inner width of a dense feed-forward
     * @param expert inner width of an expert
     * @param used experts of a token; empty for the number of the layout
     * @param latent sizes of latent attention
     */
    public record Size(
            int layers,
            int width,
            int vocabulary,
            int heads,
            int kvHeads,
            int head,
            int feedForward,
            int experts,
            int expert,
            OptionalInt used,
            Latent latent) {}

    /**
     * Sizes of latent attention.
     *
     * @param key elements of a query or key, of which {@code rotated} are rotated
     * @param row elements of the latent row
     * @param queryRow elements of the latent row of the queries
     */
    public record Latent(int key, int rotated, int value, int row, int queryRow) {
        int plain() {
            return key - rotated;
        }
    }

    /** A small model, which libllama accepts. */
    public DecoderModel(DecoderLayout layout, long seed, TensorType type) {
        this(
                layout,
                seed,
                type,
                new Size(
                        layout.layers(),
                        256,
                        TestVocabulary.MINIMUM + 9 + (int) Math.floorMod(seed * 31, 200L),
                        4,
                        2,
                        64,
                        512,
                        8,
                        96,
                        OptionalInt.empty(),
                        new Latent(64, 32, 64, 64, 96)));
    }

    /**
     * A model in Q4_0 in the shape of a released one with fewer layers and experts, of 0.5 to 0.8
     * GB, for measurements of speed.
     */
    public static DecoderModel midSize(DecoderLayout layout) {
        Latent latent = new Latent(256, 64, 256, 512, 768);
        OptionalInt used = OptionalInt.of(layout == DecoderLayout.QWEN3MOE ? 8 : 4);
        Size size =
                switch (layout) {
                    case LLAMA -> new Size(16, 2048, 65536, 32, 8, 64, 8192, 8, 96, used, latent);
                    case QWEN3MOE ->
                            new Size(4, 2048, 65536, 32, 4, 128, 6144, 64, 768, used, latent);
                    case GPT_OSS ->
                            new Size(2, 2880, 65536, 64, 8, 64, 2880, 32, 2880, used, latent);
                    case DEEPSEEK2 ->
                            new Size(3, 2048, 65536, 20, 20, 128, 10240, 64, 1536, used, latent);
                    default ->
                            throw new IllegalArgumentException(
                                    layout + ": no sizes of a released model");
                };
        return new DecoderModel(layout, 1, TensorType.Q4_0, size);
    }

    /** The same model with other sizes of latent attention. */
    public DecoderModel with(Latent latent) {
        return new DecoderModel(
                layout,
                seed,
                type,
                new Size(
                        size.layers(),
                        size.width(),
                        size.vocabulary(),
                        size.heads(),
                        size.kvHeads(),
                        size.head(),
                        size.feedForward(),
                        size.experts(),
                        size.expert(),
                        size.used(),
                        latent));
    }

    /** Writes the model, unless this folder has it already. */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                layout.name().toLowerCase(Locale.ROOT),
                new Qwen35Model.Size(
                        size.layers(), size.width(), size.width(), size.vocabulary(), CONTEXT),
                type,
                CONTENTS_VERSION + toString(),
                this::writer);
    }

    /** The whole content of the model. */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        TestVocabulary vocabulary = TestVocabulary.of(size.vocabulary());
        RandomTensors tensors =
                new RandomTensors(
                        writer,
                        type,
                        size.used().isPresent(),
                        new RandomRows(seed),
                        Set.copyOf(vocabulary.controlIds()));
        writer.put("general.architecture", GgufValue.of(layout.architecture()));
        vocabulary.describeIn(writer, Qwen35Model.CHAT_ML);
        writer.put("tokenizer.ggml.pre", GgufValue.of("qwen2"));
        layout.write(
                new DecoderWriter(
                        writer,
                        tensors,
                        layout,
                        size,
                        new SplittableRandom(seed * 7907 + layout.ordinal())));
        return writer;
    }

    /** Elements of the rows of keys and of values of one head. */
    public List<Integer> headLengths() {
        return switch (layout) {
            case DEEPSEEK2, DEEPSEEK2_MTP ->
                    List.of(size.latent().row() + size.latent().rotated(), size.latent().row());
            case DEEPSEEK2_OLD, DEEPSEEK2_LITE ->
                    List.of(size.latent().key(), size.latent().value());
            case GPT_OSS -> List.of(32);
            default -> List.of(size.head());
        };
    }

    /** Whether the file has factors for long and for short contexts. */
    public boolean hasFactorsByContext() {
        return writer().tensorNames().contains("rope_factors_long.weight");
    }

    /**
     * Random token ids that a greedy run could have produced: neither control tokens nor out of
     * range.
     */
    public int[] randomTokens(int count, long tokenSeed) {
        return Qwen35Model.tiny().randomTokens(count, tokenSeed);
    }
}
