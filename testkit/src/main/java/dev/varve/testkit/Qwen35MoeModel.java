package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Description of a random {@code qwen35moe} model, from which the same file is written every time.
 *
 * <p>A {@link Qwen35Model} whose feed-forward networks, those of nextn blocks included, are routed
 * experts and a gated shared one.
 *
 * @param dense everything but the experts; its feed-forward length is that of the shared expert
 */
public record Qwen35MoeModel(Qwen35Model dense, Experts experts) {
    /**
     * Raised when the contents of the files change, so that files written earlier are not taken for
     * new ones.
     */
    private static final int CONTENTS_VERSION = 1;

    private static final String ARCHITECTURE = "qwen35moe";

    /** The values that give the lengths of the experts. */
    public enum Lengths {
        /** Both expert lengths, and no {@code feed_forward_length}. */
        EXPERTS_ONLY,

        /** Both expert lengths, and a {@code feed_forward_length} of 0. */
        ZERO_FEED_FORWARD,

        /**
         * {@code feed_forward_length} alone: the shared expert is that long, a routed one that
         * length divided by the experts in use.
         */
        DERIVED
    }

    /**
     * @param used experts per token
     * @param feedForward inner length of a routed expert
     * @param fusedGateUp whether gate and up matrices are one tensor
     */
    public record Experts(
            int count, int used, int feedForward, boolean fusedGateUp, Lengths lengths) {
        public Experts {
            if (used < 1 || used > count || feedForward < 1) {
                throw new IllegalArgumentException(
                        used + " of " + count + " experts of length " + feedForward);
            }
        }
    }

    public Qwen35MoeModel {
        int shared = dense.size().feedForward();
        if (experts.lengths() == Lengths.DERIVED
                && shared / experts.used() != experts.feedForward()) {
            throw new IllegalArgumentException(
                    "shared length "
                            + shared
                            + " derives experts of length "
                            + shared / experts.used()
                            + ", not "
                            + experts.feedForward());
        }
    }

    /** Four layers of width 128 and ten experts of which three are used, in F32. */
    public static Qwen35MoeModel tiny() {
        Qwen35Model dense = Qwen35Model.tiny();
        return new Qwen35MoeModel(
                dense.withSize(new Qwen35Model.Size(4, 128, 96, 320, 4096)),
                new Experts(10, 3, 64, false, Lengths.EXPERTS_ONLY));
    }

    /**
     * Odd shapes drawn from {@code seed}: those of {@link Qwen35Model#odd}, expert counts and
     * lengths, fused and separate matrices, and all {@link Lengths}.
     */
    public static Qwen35MoeModel odd(long seed) {
        Qwen35Model dense = Qwen35Model.odd(seed);
        RandomGenerator random = new SplittableRandom(seed * 6007 + 29);
        int count = 3 + random.nextInt(22);
        int used = 1 + random.nextInt(Math.min(count, 6));
        int feedForward = Qwen35Model.pick(random, 32, 64, 96, 160, 256);
        Lengths lengths = Lengths.values()[Math.floorMod(seed, 3)];
        int shared =
                lengths == Lengths.DERIVED
                        ? feedForward * used
                        : Qwen35Model.pick(random, 32, 96, 128, 256);
        Qwen35Model.Size size = dense.size();
        return new Qwen35MoeModel(
                dense.withSize(
                        new Qwen35Model.Size(
                                size.layers(),
                                size.embedding(),
                                shared,
                                size.vocabulary(),
                                size.context())),
                new Experts(count, used, feedForward, Math.floorMod(seed, 4) < 2, lengths));
    }

    /** Twelve layers of width 1024 with 64 experts in Q4_0; about 800 MB. */
    public static Qwen35MoeModel midSize() {
        Qwen35Model dense = Qwen35Model.real08b(65536);
        return new Qwen35MoeModel(
                dense.withSize(new Qwen35Model.Size(12, 1024, 512, 65536, 262144)),
                new Experts(64, 8, 512, false, Lengths.EXPERTS_ONLY));
    }

    /** The same model with matrices of another type; routers stay F32. */
    public Qwen35MoeModel withType(TensorType type) {
        return withDense(dense.withType(type));
    }

    /** The same shape with other random values. */
    public Qwen35MoeModel withSeed(long seed) {
        return withDense(dense.withSeed(seed));
    }

    /** The same model with or without a head of its own. */
    public Qwen35MoeModel withTiedHead(boolean tied) {
        return withDense(dense.withTiedHead(tied));
    }

    public Qwen35MoeModel withWeights(Qwen35Model.Weights other) {
        return withDense(dense.withWeights(other));
    }

    public Qwen35MoeModel withPlan(Qwen35Model.LayerPlan other) {
        return withDense(dense.withPlan(other));
    }

    public Qwen35MoeModel withDense(Qwen35Model other) {
        return new Qwen35MoeModel(other, experts);
    }

    public Qwen35MoeModel withExperts(Experts other) {
        return new Qwen35MoeModel(dense, other);
    }

    public Qwen35Model.Size size() {
        return dense.size();
    }

    public Qwen35Model.Weights weights() {
        return dense.weights();
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code qwen35moe-l<layers>-e<width>-<type>-<digest>.gguf}, where the digest covers
     *     the whole description
     */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                ARCHITECTURE,
                size(),
                weights().type(),
                CONTENTS_VERSION + toString(),
                this::writer);
    }

    /**
     * The whole content of the model, for callers that change values or tensors, or split it,
     * before writing.
     */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        writeTo(writer);
        return writer;
    }

    /** Adds all values and tensors to a writer of another version or alignment. */
    public void writeTo(GgufWriter writer) {
        TestVocabulary vocabulary = TestVocabulary.of(size().vocabulary());
        dense.describeIn(writer, ARCHITECTURE, feedForwardLength());
        describeExperts(writer);
        vocabulary.describeIn(writer, dense.chatTemplate());
        List<Integer> quiet = vocabulary.controlIds();
        new Qwen35Tensors(writer, dense, Optional.of(experts), quiet).addAll();
    }

    /**
     * Random token ids that a greedy run could have produced: neither control tokens nor out of
     * range.
     */
    public int[] randomTokens(int count, long tokenSeed) {
        return dense.randomTokens(count, tokenSeed);
    }

    private OptionalInt feedForwardLength() {
        return switch (experts.lengths()) {
            case EXPERTS_ONLY -> OptionalInt.empty();
            case ZERO_FEED_FORWARD -> OptionalInt.of(0);
            case DERIVED -> OptionalInt.of(size().feedForward());
        };
    }

    private void describeExperts(GgufWriter writer) {
        writer.put(ARCHITECTURE + ".expert_count", GgufValue.of(experts.count()))
                .put(ARCHITECTURE + ".expert_used_count", GgufValue.of(experts.used()));
        if (experts.lengths() != Lengths.DERIVED) {
            writer.put(
                            ARCHITECTURE + ".expert_feed_forward_length",
                            GgufValue.of(experts.feedForward()))
                    .put(
                            ARCHITECTURE + ".expert_shared_feed_forward_length",
                            GgufValue.of(size().feedForward()));
        }
    }
}
