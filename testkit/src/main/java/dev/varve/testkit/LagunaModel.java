package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Description of a random {@code laguna} model, from which the same file is written every time.
 *
 * <p>The weights make a network as well behaved as those of {@link Qwen35Model}: logits with a
 * deviation of about 4 that depend on the current token and on the context, routers that use all
 * experts, and heads that do not end a text by chance.
 *
 * @param size its feed-forward length is that of the dense layers
 * @param leadingDense layers without experts before all others
 */
public record LagunaModel(
        Qwen35Model.Size size,
        int leadingDense,
        Attention attention,
        Window window,
        Rope rope,
        Experts experts,
        Weights weights,
        Chat chat) {
    /**
     * Raised when the contents of the files change, so that files written earlier are not taken for
     * new ones.
     */
    private static final int CONTENTS_VERSION = 3;

    /** A minimal template of the family with a switch for reasoning. */
    public static final String TEMPLATE =
            """
            {{- '〈|EOS|〉' -}}
            {%- for message in messages -%}
            {{ '<' + message.role + '>\\n' + message.content + '\\n</' + message.role + '>\\n' }}
            {%- endfor -%}
            {%- if add_generation_prompt -%}
            {{ '<assistant>\\n' }}
            {%- if enable_thinking is defined and enable_thinking -%}
            {{ '<think>' }}
            {%- else -%}
            {{ '</think>' }}
            {%- endif -%}
            {%- endif -%}
            """;

    /**
     * @param heads query heads: one count for all layers, written as a number, or one per layer,
     *     written as an array
     * @param gatePerElement whether the output gate has one row per element, instead of one per
     *     head
     * @param fusedQkv whether layers carry {@code attn_qkv} instead of three matrices
     */
    public record Attention(
            List<Integer> heads,
            int kvHeads,
            int headDim,
            boolean gatePerElement,
            boolean fusedQkv) {
        public Attention {
            heads = List.copyOf(heads);
            if (heads.isEmpty() || heads.stream().anyMatch(count -> count % kvHeads != 0)) {
                throw new IllegalArgumentException("heads " + heads + "/" + kvHeads);
            }
        }

        int headsOf(int layer) {
            return heads.size() == 1 ? heads.getFirst() : heads.get(layer);
        }
    }

    /** The layers that have a sliding window. */
    public sealed interface Pattern {
        /** Nothing is written: all layers do but every fourth, from the first on. */
        record Standard() implements Pattern {}

        /** A number: all layers do but every so many, from the first on. */
        record Period(int layers) implements Pattern {}

        /** One flag per layer. */
        record Flags(List<Boolean> windowed) implements Pattern {
            public Flags {
                windowed = List.copyOf(windowed);
            }
        }
    }

    /**
     * @param tokens that a windowed layer sees, the current one included; 0 writes nothing and
     *     leaves all layers full
     */
    public record Window(int tokens, Pattern pattern) {
        /** All layers attend to all positions. */
        public static final Window NONE = new Window(0, new Pattern.Standard());

        boolean covers(int layer) {
            return tokens > 0
                    && switch (pattern) {
                        case Pattern.Standard() -> layer % 4 != 0;
                        case Pattern.Period(int layers) -> layer % layers != 0;
                        case Pattern.Flags(var windowed) -> windowed.get(layer);
                    };
        }
    }

    /**
     * @param dims rotated in full layers
     * @param windowDims rotated in windowed layers; empty writes nothing, which means the same as
     *     in full ones
     * @param windowBase frequency base of windowed layers; empty writes nothing, likewise
     * @param yarn scaling of full layers; empty for none
     */
    public record Rope(
            int dims,
            OptionalInt windowDims,
            float base,
            OptionalDouble windowBase,
            Optional<Yarn> yarn) {}

    /**
     * @param betaFast value of {@code yarn_beta_fast}, written with a {@code yarn_beta_slow} of 1;
     *     empty writes neither. libllama reads neither and takes 32 and 1.
     */
    public record Yarn(float factor, int originalContext, OptionalDouble betaFast) {}

    /** The function that turns scores of experts into weights. */
    public enum Gating {
        /** Nothing is written, which means sigmoid. */
        ABSENT(0),
        SOFTMAX(1),
        SIGMOID(2);

        private final int id;

        Gating(int id) {
            this.id = id;
        }

        int id() {
            return id;
        }
    }

    /**
     * @param used experts per token
     * @param feedForward inner length of a routed expert
     * @param sharedFeedForward inner length of the shared expert; written unless it is that of a
     *     routed one, which is its default
     * @param normalised value of {@code expert_weights_norm}
     * @param scale value of {@code expert_weights_scale}; empty writes nothing, which, like 0,
     *     means no scaling
     */
    public record Experts(
            int count,
            int used,
            int feedForward,
            int sharedFeedForward,
            Gating gating,
            boolean normalised,
            OptionalDouble scale) {
        public Experts {
            if (used < 1 || used > count || feedForward < 1 || sharedFeedForward < 1) {
                throw new IllegalArgumentException(
                        used
                                + " of "
                                + count
                                + " experts of length "
                                + feedForward
                                + ", shared "
                                + sharedFeedForward);
            }
        }

        Routing routing() {
            boolean sigmoid = gating != Gating.SOFTMAX;
            double bias = sigmoid ? 0.1 : 0.3 / count;
            double written = scale.orElse(0);
            return new Routing(count, used, sigmoid, bias, normalised, written == 0 ? 1 : written);
        }
    }

    /**
     * @param type of all matrices; routers, norms and selection biases are always F32
     * @param tiedHead whether the output matrix is the embedding
     * @param patterned whether matrices repeat slices of one random pattern, which writes large
     *     files fast
     */
    public record Weights(TensorType type, boolean tiedHead, boolean patterned, long seed) {}

    /**
     * @param template Jinja text; empty for a file without one
     * @param endOfTurnMarked whether {@code </assistant>} is a control token that the file names as
     *     the end of a turn; otherwise only its text shows it
     */
    public record Chat(String template, boolean endOfTurnMarked) {}

    public LagunaModel {
        int layers = size.layers();
        boolean flagsFit =
                !(window.pattern() instanceof Pattern.Flags(var flags)) || flags.size() == layers;
        int counts = attention.heads().size();
        int rotated = Math.max(rope.dims(), rope.windowDims().orElse(0));
        if (!flagsFit
                || counts != 1 && counts != layers
                || leadingDense < 0
                || leadingDense > layers
                || rotated > attention.headDim()) {
            throw new IllegalArgumentException(
                    layers
                            + " layers, "
                            + leadingDense
                            + " dense, "
                            + attention
                            + ", "
                            + window
                            + ", "
                            + rope);
        }
    }

    /**
     * Five layers of width 128 in F32 that reach the usual paths of the family: full and windowed
     * layers with different head counts, YaRN, one dense layer, and ten experts of which three are
     * used.
     */
    public static LagunaModel tiny() {
        return new LagunaModel(
                new Qwen35Model.Size(5, 128, 256, 320, 4096),
                1,
                new Attention(List.of(4, 6, 6, 6, 4), 2, 32, false, false),
                new Window(24, new Pattern.Standard()),
                new Rope(
                        16,
                        OptionalInt.of(32),
                        500000,
                        OptionalDouble.of(10000),
                        Optional.of(new Yarn(32, 128, OptionalDouble.empty()))),
                new Experts(10, 3, 64, 96, Gating.SIGMOID, true, OptionalDouble.of(2.5)),
                new Weights(TensorType.F32, true, false, 1),
                new Chat(TEMPLATE, true));
    }

    /**
     * Odd shapes drawn from {@code seed}. Sixteen seeds in a row have every form of head counts,
     * gate, window, rope, router, head and marks; {@link LagunaVariants} lists them.
     */
    public static LagunaModel odd(long seed) {
        return LagunaVariants.odd(seed);
    }

    /** Twelve layers of width 1024 with 64 experts in Q4_0; about 800 MB. */
    public static LagunaModel midSize() {
        List<Integer> heads = List.of(24, 32, 32, 32, 24, 32, 32, 32, 24, 32, 32, 32);
        return new LagunaModel(
                new Qwen35Model.Size(12, 1024, 4096, 65536, 131072),
                1,
                new Attention(heads, 8, 128, false, false),
                new Window(512, new Pattern.Standard()),
                new Rope(
                        64,
                        OptionalInt.of(128),
                        500000,
                        OptionalDouble.of(10000),
                        Optional.of(new Yarn(32, 4096, OptionalDouble.empty()))),
                new Experts(64, 8, 512, 512, Gating.SIGMOID, true, OptionalDouble.of(2.5)),
                new Weights(TensorType.Q4_0, false, true, 1),
                new Chat(TEMPLATE, true));
    }

    /** The same model with matrices of another type; routers stay F32. */
    public LagunaModel withType(TensorType type) {
        return withWeights(
                new Weights(type, weights.tiedHead(), weights.patterned(), weights.seed()));
    }

    /** The same shape with other random values. */
    public LagunaModel withSeed(long seed) {
        return withWeights(
                new Weights(weights.type(), weights.tiedHead(), weights.patterned(), seed));
    }

    /** The same model with or without a head of its own. */
    public LagunaModel withTiedHead(boolean tied) {
        return withWeights(new Weights(weights.type(), tied, weights.patterned(), weights.seed()));
    }

    public LagunaModel withSize(Qwen35Model.Size other) {
        return new LagunaModel(
                other, leadingDense, attention, window, rope, experts, weights, chat);
    }

    public LagunaModel withLeadingDense(int layers) {
        return new LagunaModel(size, layers, attention, window, rope, experts, weights, chat);
    }

    public LagunaModel withAttention(Attention other) {
        return new LagunaModel(size, leadingDense, other, window, rope, experts, weights, chat);
    }

    public LagunaModel withWindow(Window other) {
        return new LagunaModel(size, leadingDense, attention, other, rope, experts, weights, chat);
    }

    public LagunaModel withRope(Rope other) {
        return new LagunaModel(
                size, leadingDense, attention, window, other, experts, weights, chat);
    }

    public LagunaModel withExperts(Experts other) {
        return new LagunaModel(size, leadingDense, attention, window, rope, other, weights, chat);
    }

    public LagunaModel withWeights(Weights other) {
        return new LagunaModel(size, leadingDense, attention, window, rope, experts, other, chat);
    }

    public LagunaModel withChat(Chat other) {
        return new LagunaModel(
                size, leadingDense, attention, window, rope, experts, weights, other);
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code laguna-l<layers>-e<width>-<type>-<digest>.gguf}, where the digest covers the
     *     whole description
     */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                "laguna",
                size,
                weights.type(),
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
        TestVocabulary vocabulary = vocabulary();
        new LagunaValues(this).addTo(writer);
        vocabulary.describeIn(writer, chat.template());
        new LagunaTensors(writer, this, vocabulary.controlIds()).addAll();
    }

    /**
     * Random token ids that a greedy run could have produced: neither control tokens nor out of
     * range.
     */
    public int[] randomTokens(int count, long tokenSeed) {
        RandomGenerator random = new SplittableRandom(TestSeed.of(tokenSeed));
        return random.ints(count, 0, 256).toArray();
    }

    TestVocabulary vocabulary() {
        return TestVocabulary.of(size.vocabulary(), TestVocabulary.laguna(chat.endOfTurnMarked()));
    }
}
