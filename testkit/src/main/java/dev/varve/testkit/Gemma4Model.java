package dev.varve.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Description of a random {@code gemma4} model, from which the same file is written every time.
 *
 * @param perLayerWidth width of the per-layer embeddings; 0 for none
 * @param softcap limit of the logits; empty to leave the key out, which means 30
 */
public record Gemma4Model(
        Qwen35Model.Size size,
        Attention attention,
        Sharing sharing,
        int perLayerWidth,
        Experts experts,
        OptionalDouble softcap,
        Weights weights,
        String chatTemplate) {
    private static final int CONTENTS_VERSION = 1;

    /**
     * Turns with the family's message start tokens; the reasoning switch opens the channel by
     * itself.
     */
    public static final String TEMPLATE =
            """
            {{- bos_token -}}
            {%- for message in messages -%}
            {{- '<|turn>' + ('model' if message.role == 'assistant' else message.role) + '\\n' -}}
            {{- message.content | trim -}}
            {{- '<turn|>\\n' -}}
            {%- endfor -%}
            {%- if add_generation_prompt -%}
            {{- '<|turn>model\\n' -}}
            {%- if not enable_thinking | default(false) -%}
            {{- '<|channel>thought\\n<channel|>' -}}
            {%- endif -%}
            {%- endif -%}
            """;

    /**
     * @param sliding per layer, whether it attends to the window
     * @param heads query heads of sliding layers
     * @param fullHeads query heads of full layers
     * @param kvHeads heads of K and V of sliding layers
     * @param fullKvHeads heads of K and V of full layers
     * @param headDim elements of a head of sliding layers
     * @param fullHeadDim elements of a head of full layers
     * @param valuesFromKeys whether full layers have no projection for values
     * @param fusedQkv whether layers that have rows and a projection for values carry {@code
     *     attn_qkv} instead of three matrices
     */
    public record Attention(
            List<Boolean> sliding,
            int window,
            int heads,
            int fullHeads,
            int kvHeads,
            int fullKvHeads,
            int headDim,
            int fullHeadDim,
            boolean valuesFromKeys,
            boolean fusedQkv) {
        public Attention {
            sliding = List.copyOf(sliding);
        }

        int headsOf(int layer) {
            return sliding.get(layer) ? heads : fullHeads;
        }

        int kvHeadsOf(int layer) {
            return sliding.get(layer) ? kvHeads : fullKvHeads;
        }

        int headDimOf(int layer) {
            return sliding.get(layer) ? headDim : fullHeadDim;
        }
    }

    /**
     * @param layers trailing layers that read the K and V rows of the last two layers before them,
     *     a sliding one and then a full one
     * @param wideFeedForward whether these layers have a feed-forward of double width
     */
    public record Sharing(int layers, boolean wideFeedForward) {
        public static final Sharing NONE = new Sharing(0, false);
    }

    /**
     * @param count experts, 0 for none
     * @param fusedGateUp whether gate and up are one tensor
     * @param scaled whether each expert's output has a scale
     */
    public record Experts(
            int count, int used, int feedForward, boolean fusedGateUp, boolean scaled) {
        public static final Experts NONE = new Experts(0, 0, 0, false, false);
    }

    /**
     * @param layerScales whether each layer's output has a scale
     * @param idleProjections whether layers without rows of their own have K and V matrices all the
     *     same
     */
    public record Weights(
            TensorType type,
            boolean tiedHead,
            boolean layerScales,
            boolean idleProjections,
            boolean patterned,
            long seed) {}

    public Gemma4Model {
        List<Boolean> sliding = attention.sliding();
        if (sliding.size() != size.layers()) {
            throw new IllegalArgumentException(
                    size.layers() + " layers, but " + sliding.size() + " sliding flags");
        }
        int owners = size.layers() - sharing.layers();
        // libllama ends the process where a shared layer finds no rows of its kind.
        if (sharing.layers() > 0
                && (owners < 2 || !sliding.get(owners - 2) || sliding.get(owners - 1))) {
            throw new IllegalArgumentException(
                    sharing.layers()
                            + " shared layers must follow a sliding and a full one, got "
                            + sliding);
        }
    }

    /** Six layers of width 128 with per-layer embeddings and shared rows, in F32. */
    public static Gemma4Model tiny() {
        return new Gemma4Model(
                new Qwen35Model.Size(6, 128, 256, 384, 2048),
                new Attention(
                        List.of(true, true, false, true, true, false),
                        24,
                        4,
                        4,
                        2,
                        1,
                        32,
                        64,
                        false,
                        false),
                new Sharing(3, true),
                64,
                Experts.NONE,
                OptionalDouble.of(30),
                new Weights(TensorType.F32, true, true, false, false, 1),
                TEMPLATE);
    }

    /** Odd shapes drawn from {@code seed}; {@link Gemma4Variants} lists them. */
    public static Gemma4Model odd(long seed) {
        return new Gemma4Variants(seed).model();
    }

    /** Shaped like the E2B release, cut down to about 700 MB in Q4_0. */
    public static Gemma4Model midSize() {
        List<Boolean> sliding = new ArrayList<>();
        for (int layer = 0; layer < 20; layer++) {
            sliding.add(layer % 5 != 4);
        }
        return new Gemma4Model(
                new Qwen35Model.Size(20, 1536, 6144, 65536, 131072),
                new Attention(sliding, 512, 8, 8, 1, 1, 256, 512, false, false),
                new Sharing(10, true),
                256,
                Experts.NONE,
                OptionalDouble.of(30),
                new Weights(TensorType.Q4_0, true, true, false, true, 1),
                TEMPLATE);
    }

    /** Shaped like the 26B release, cut down to about 700 MB in Q4_0. */
    public static Gemma4Model midSizeMoe() {
        List<Boolean> sliding = new ArrayList<>();
        for (int layer = 0; layer < 12; layer++) {
            sliding.add(layer % 6 != 5);
        }
        return new Gemma4Model(
                new Qwen35Model.Size(12, 1408, 2112, 65536, 262144),
                new Attention(sliding, 1024, 8, 8, 4, 1, 256, 512, true, false),
                Sharing.NONE,
                0,
                new Experts(32, 4, 704, true, true),
                OptionalDouble.of(30),
                new Weights(TensorType.Q4_0, true, true, false, true, 1),
                TEMPLATE);
    }

    /** Whether a layer writes K and V rows of its own. */
    boolean ownsRows(int layer) {
        return layer < size.layers() - sharing.layers();
    }

    /** Width of a layer's feed-forward. */
    int feedForward(int layer) {
        boolean wide = sharing.wideFeedForward() && !ownsRows(layer);
        return wide ? 2 * size.feedForward() : size.feedForward();
    }

    /** The same model with matrices of another type. */
    public Gemma4Model withType(TensorType type) {
        return withWeights(
                new Weights(
                        type,
                        weights.tiedHead(),
                        weights.layerScales(),
                        weights.idleProjections(),
                        weights.patterned(),
                        weights.seed()));
    }

    /** The same shape with other random values. */
    public Gemma4Model withSeed(long seed) {
        return withWeights(
                new Weights(
                        weights.type(),
                        weights.tiedHead(),
                        weights.layerScales(),
                        weights.idleProjections(),
                        weights.patterned(),
                        seed));
    }

    /** The same model with or without a head of its own. */
    public Gemma4Model withTiedHead(boolean tiedHead) {
        return withWeights(
                new Weights(
                        weights.type(),
                        tiedHead,
                        weights.layerScales(),
                        weights.idleProjections(),
                        weights.patterned(),
                        weights.seed()));
    }

    public Gemma4Model withWeights(Weights other) {
        return new Gemma4Model(
                size, attention, sharing, perLayerWidth, experts, softcap, other, chatTemplate);
    }

    public Gemma4Model withAttention(Attention other) {
        return new Gemma4Model(
                size, other, sharing, perLayerWidth, experts, softcap, weights, chatTemplate);
    }

    public Gemma4Model withSize(Qwen35Model.Size other) {
        return new Gemma4Model(
                other, attention, sharing, perLayerWidth, experts, softcap, weights, chatTemplate);
    }

    public Gemma4Model withSharing(Sharing other) {
        return new Gemma4Model(
                size, attention, other, perLayerWidth, experts, softcap, weights, chatTemplate);
    }

    public Gemma4Model withPerLayerWidth(int other) {
        return new Gemma4Model(
                size, attention, sharing, other, experts, softcap, weights, chatTemplate);
    }

    public Gemma4Model withExperts(Experts other) {
        return new Gemma4Model(
                size, attention, sharing, perLayerWidth, other, softcap, weights, chatTemplate);
    }

    /** The same model with another limit of the logits; empty leaves the key out. */
    public Gemma4Model withSoftcap(OptionalDouble other) {
        return new Gemma4Model(
                size, attention, sharing, perLayerWidth, experts, other, weights, chatTemplate);
    }

    public Gemma4Model withChatTemplate(String other) {
        return new Gemma4Model(
                size, attention, sharing, perLayerWidth, experts, softcap, weights, other);
    }

    /**
     * Writes the model, unless this folder has it already.
     *
     * @return {@code gemma4-l<layers>-e<width>-<type>-<digest>.gguf}, where the digest covers the
     *     whole description
     */
    public Path write(Path folder) throws IOException {
        return ModelFile.write(
                folder,
                "gemma4",
                size,
                weights.type(),
                CONTENTS_VERSION + toString(),
                this::writer);
    }

    /** The whole content of the model, for callers that change it before writing. */
    public GgufWriter writer() {
        GgufWriter writer = new GgufWriter();
        writeTo(writer);
        return writer;
    }

    /** Adds all values and tensors to a writer of another version or alignment. */
    public void writeTo(GgufWriter writer) {
        Gemma4Vocabulary vocabulary = Gemma4Vocabulary.of(size.vocabulary());
        Gemma4Values.addTo(writer, this);
        vocabulary.describeIn(writer, chatTemplate);
        new Gemma4Tensors(writer, this, vocabulary.quietIds()).addAll();
    }

    /**
     * Random token ids that a greedy run could have produced: neither control tokens nor out of
     * range.
     */
    public int[] randomTokens(int count, long tokenSeed) {
        RandomGenerator random = new SplittableRandom(TestSeed.of(tokenSeed));
        return random.ints(count, Gemma4Vocabulary.FIRST_TEXT, Gemma4Vocabulary.MINIMUM).toArray();
    }
}
