package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/**
 * Description of a random dense {@code qwen35} model, from which the same file is written every
 * time.
 *
 * <p>The weights make a well-behaved network: logits with a deviation of about 4 that depend on the
 * current token and on the context about equally, and small effects of rounding (F16 weights move a
 * row of logits by about 0.2 %, Q8_0 by 5 %, Q4_0 by 50 %; a single token 50 positions back by 5
 * %). Rows of control tokens in the head are nearly zero, so that a greedy run does not stop by
 * chance.
 *
 * @param chatTemplate Jinja text; empty for a file without one
 */
public record Qwen35Model(
        Size size,
        Attention attention,
        DeltaNet deltaNet,
        LayerPlan plan,
        Weights weights,
        String chatTemplate) {
    /**
     * Raised when the contents of the files change, so that files written earlier are not taken for
     * new ones.
     */
    private static final int CONTENTS_VERSION = 2;

    /** A minimal ChatML template with a switch for reasoning. */
    public static final String CHAT_ML =
            """
            {%- for message in messages -%}
            {{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
            {%- endfor -%}
            {%- if add_generation_prompt -%}
            {{ '<|im_start|>assistant\\n' }}
            {%- if enable_thinking is defined and enable_thinking is false -%}
            {{ '<think>\\n\\n</think>\\n\\n' }}
            {%- endif -%}
            {%- endif -%}
            """;

    /**
     * @param layers trunk layers, without nextn blocks
     */
    public record Size(int layers, int embedding, int feedForward, int vocabulary, int context) {}

    /**
     * @param ropeSections four pair counts; their sum is {@code ropeDims / 2}
     * @param fusedQkv whether full layers carry {@code attn_qkv} instead of three matrices
     * @param biases whether the query, key and value projections of full layers have biases
     */
    public record Attention(
            int heads,
            int kvHeads,
            int headDim,
            int ropeDims,
            List<Integer> ropeSections,
            boolean fusedQkv,
            boolean biases) {
        public Attention {
            ropeSections = List.copyOf(ropeSections);
            int pairs = ropeSections.stream().mapToInt(Integer::intValue).sum();
            if (heads % kvHeads != 0
                    || ropeDims > headDim
                    || ropeSections.size() != 4
                    || pairs != ropeDims / 2) {
                throw new IllegalArgumentException(
                        "heads "
                                + heads
                                + "/"
                                + kvHeads
                                + " of "
                                + headDim
                                + ", rope "
                                + ropeDims
                                + " "
                                + ropeSections);
            }
        }
    }

    /**
     * Sizes of the linear layers: {@code Hk}, {@code Hv}, {@code Sd} and the taps of the
     * convolution.
     */
    public record DeltaNet(int keyHeads, int valueHeads, int stateSize, int convKernel) {
        public DeltaNet {
            if (valueHeads % keyHeads != 0) {
                throw new IllegalArgumentException(
                        "value heads " + valueHeads + ", key heads " + keyHeads);
            }
        }

        int keyDim() {
            return keyHeads * stateSize;
        }

        int valueDim() {
            return valueHeads * stateSize;
        }

        int convDim() {
            return 2 * keyDim() + valueDim();
        }
    }

    /**
     * The layers that are linear.
     *
     * @param recurrentLayers one flag per trunk layer, written to the file; empty to let the
     *     interval decide
     * @param nextnBlocks MTP blocks for speculative decoding after the trunk
     */
    public record LayerPlan(
            int fullAttentionInterval, List<Boolean> recurrentLayers, int nextnBlocks) {
        public LayerPlan {
            recurrentLayers = List.copyOf(recurrentLayers);
        }

        boolean isRecurrent(int layer) {
            return recurrentLayers.isEmpty()
                    ? (layer + 1) % fullAttentionInterval != 0
                    : recurrentLayers.get(layer);
        }
    }

    /**
     * @param type of all matrices; norms, convolution, decay and time step bias are always F32
     * @param tiedHead whether the output matrix is the embedding
     * @param scales whether every second layer carries {@code .scale} companions of its matrices
     * @param patterned whether matrices repeat slices of one random pattern, which writes large
     *     files fast
     */
    public record Weights(
            TensorType type, boolean tiedHead, boolean scales, boolean patterned, long seed) {}

    public Qwen35Model {
        if (!plan.recurrentLayers().isEmpty() && plan.recurrentLayers().size() != size.layers()) {
            throw new IllegalArgumentException(
                    size.layers()
                            + " layers, but "
                            + plan.recurrentLayers().size()
                            + " recurrent flags");
        }
    }

    /** Four layers of width 128 that reach every path of the family, in F32, with a tied head. */
    public static Qwen35Model tiny() {
        return new Qwen35Model(
                new Size(4, 128, 256, 320, 4096),
                new Attention(4, 2, 64, 16, List.of(3, 3, 2, 0), false, false),
                new DeltaNet(2, 4, 16, 4),
                new LayerPlan(4, List.of(), 0),
                new Weights(TensorType.F32, true, false, false, 1),
                CHAT_ML);
    }

    /**
     * Odd shapes drawn from {@code seed}: head counts, state sizes, layer plans, types and optional
     * tensors. There is always a layer of each kind; libllama aborts on a model without one.
     */
    public static Qwen35Model odd(long seed) {
        SplittableRandom random = new SplittableRandom(seed * 7919 + 17);
        int interval = 2 + random.nextInt(3);
        int layers = interval + random.nextInt(5);
        int kvHeads = 1 + random.nextInt(3);
        int headDim = pick(random, 32, 64, 96, 128);
        int keyHeads = 1 + random.nextInt(3);
        List<List<Integer>> sections =
                List.of(
                        List.of(3, 3, 2, 0),
                        List.of(2, 1, 1, 0),
                        List.of(4, 4, 4, 0),
                        List.of(5, 3, 2, 2));
        List<Integer> section = sections.get(random.nextInt(sections.size()));
        int ropeDims = 2 * section.stream().mapToInt(Integer::intValue).sum();
        List<Boolean> flags =
                seed % 3 == 0
                        ? IntStream.range(0, layers)
                                .mapToObj(
                                        layer -> layer > 0 && (layer == 1 || random.nextInt(3) > 0))
                                .toList()
                        : List.of();
        TensorType type =
                List.of(
                                TensorType.F16,
                                TensorType.Q8_0,
                                TensorType.Q4_0,
                                TensorType.Q4_K,
                                TensorType.Q6_K,
                                TensorType.BF16)
                        .get(Math.floorMod(seed, 6));
        return new Qwen35Model(
                new Size(
                        layers,
                        pick(random, 96, 160, 256, 288),
                        pick(random, 160, 224, 416, 512),
                        TestVocabulary.MINIMUM + 9 + random.nextInt(200),
                        2048),
                new Attention(
                        kvHeads * (1 + random.nextInt(4)),
                        kvHeads,
                        headDim,
                        ropeDims,
                        section,
                        random.nextBoolean(),
                        random.nextInt(3) == 0),
                new DeltaNet(
                        keyHeads,
                        keyHeads * (1 + random.nextInt(4)),
                        pick(random, 16, 32, 48, 64, 128),
                        4),
                new LayerPlan(interval, flags, random.nextInt(2)),
                new Weights(type, random.nextBoolean(), false, false, seed),
                CHAT_ML);
    }

    /**
     * The shape of the 0.8B release with random Q4_0 weights; about 420 MB at a vocabulary of
     * 151936.
     */
    public static Qwen35Model real08b(int vocabulary) {
        return new Qwen35Model(
                new Size(24, 1024, 3584, vocabulary, 262144),
                new Attention(8, 2, 256, 64, List.of(11, 11, 10, 0), false, false),
                new DeltaNet(16, 16, 128, 4),
                new LayerPlan(4, List.of(), 0),
                new Weights(TensorType.Q4_0, true, false, true, 1),
                CHAT_ML);
    }

    /** The same model with matrices of another type. */
    public Qwen35Model withType(TensorType type) {
        return withWeights(
                new Weights(
                        type,
                        weights.tiedHead(),
                        weights.scales(),
                        weights.patterned(),
                        weights.seed()));
    }

    /** The same shape with other random values. */
    public Qwen35Model withSeed(long seed) {
        return withWeights(
                new Weights(
                        weights.type(),
                        weights.tiedHead(),
                        weights.scales(),
                        weights.patterned(),
                        seed));
    }

    /** The same model with or without a head of its own. */
    public Qwen35Model withTiedHead(boolean tied) {
        return withWeights(
                new Weights(
                        weights.type(),
                        tied,
                        weights.scales(),
                        weights.patterned(),
                        weights.seed()));
    }

    public Qwen35Model withWeights(Weights other) {
        return new Qwen35Model(size, attention, deltaNet, plan, other, chatTemplate);
    }

    public Qwen35Model withSize(Size other) {
        return new Qwen35Model(other, attention, deltaNet, plan, weights, chatTemplate);
    }

    public Qwen35Model withAttention(Attention other) {
        return new Qwen35Model(size, other, deltaNet, plan, weights, chatTemplate);
    }

    public Qwen35Model withDeltaNet(DeltaNet other) {
        return new Qwen35Model(size, attention, other, plan, weights, chatTemplate);
    }

    public Qwen35Model withPlan(LayerPlan other) {
        return new Qwen35Model(size, attention, deltaNet, other, weights, chatTemplate);
    }

    public Qwen35Model withChatTemplate(String template) {
        return new Qwen35Model(size, attention, deltaNet, plan, weights, template);
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code qwen35-l<layers>-e<width>-<type>-<digest>.gguf}, where the digest covers the
     *     whole description
     */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                "qwen35",
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
        TestVocabulary vocabulary = TestVocabulary.of(size.vocabulary());
        describeIn(writer, "qwen35", OptionalInt.of(size.feedForward()));
        vocabulary.describeIn(writer, chatTemplate);
        new Qwen35Tensors(writer, this, Optional.empty(), vocabulary.controlIds()).addAll();
    }

    /**
     * Random token ids that a greedy run could have produced: neither control tokens nor out of
     * range.
     */
    public int[] randomTokens(int count, long tokenSeed) {
        RandomGenerator random = new SplittableRandom(TestSeed.of(tokenSeed));
        return random.ints(count, 0, TestVocabulary.MINIMUM - 7).toArray();
    }

    /**
     * Adds the values of the family.
     *
     * @param feedForward value of {@code feed_forward_length}; absent for a file without it
     */
    void describeIn(GgufWriter writer, String architecture, OptionalInt feedForward) {
        String prefix = architecture + ".";
        writer.put("general.architecture", GgufValue.of(architecture))
                .put(
                        "general.name",
                        GgufValue.of("Random " + architecture + ", seed " + weights.seed()))
                .put(prefix + "block_count", GgufValue.of(size.layers() + plan.nextnBlocks()))
                .put(prefix + "context_length", GgufValue.of(size.context()))
                .put(prefix + "embedding_length", GgufValue.of(size.embedding()));
        feedForward.ifPresent(
                length -> writer.put(prefix + "feed_forward_length", GgufValue.of(length)));
        writer.put(prefix + "attention.head_count", GgufValue.of(attention.heads()))
                .put(prefix + "attention.head_count_kv", GgufValue.of(attention.kvHeads()))
                .put(prefix + "attention.key_length", GgufValue.of(attention.headDim()))
                .put(prefix + "attention.value_length", GgufValue.of(attention.headDim()))
                .put(prefix + "attention.layer_norm_rms_epsilon", GgufValue.of(1e-6f))
                .put(prefix + "rope.dimension_count", GgufValue.of(attention.ropeDims()))
                .put(prefix + "rope.dimension_sections", GgufValue.ints(attention.ropeSections()))
                .put(prefix + "rope.freq_base", GgufValue.of(1e7f))
                .put(prefix + "ssm.conv_kernel", GgufValue.of(deltaNet.convKernel()))
                .put(prefix + "ssm.state_size", GgufValue.of(deltaNet.stateSize()))
                .put(prefix + "ssm.group_count", GgufValue.of(deltaNet.keyHeads()))
                .put(prefix + "ssm.time_step_rank", GgufValue.of(deltaNet.valueHeads()))
                .put(prefix + "ssm.inner_size", GgufValue.of(deltaNet.valueDim()))
                .put(
                        prefix + "full_attention_interval",
                        GgufValue.of(plan.fullAttentionInterval()));
        if (plan.nextnBlocks() > 0) {
            writer.put(prefix + "nextn_predict_layers", GgufValue.of(plan.nextnBlocks()));
        }
        if (!plan.recurrentLayers().isEmpty()) {
            List<Boolean> flags = new ArrayList<>(plan.recurrentLayers());
            for (int block = 0; block < plan.nextnBlocks(); block++) {
                flags.add(false);
            }
            writer.put(prefix + "attention.recurrent_layers", GgufValue.booleans(flags));
        }
    }

    static int pick(RandomGenerator random, int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
