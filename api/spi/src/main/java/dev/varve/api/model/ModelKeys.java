package dev.varve.api.model;

import dev.varve.api.ggml.RopeOptions;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.ModelFormatException;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongPredicate;

/**
 * Checked reader of the hyper-parameters that all families write in the same way. Names are without
 * the architecture, which is the prefix of every key.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public final class ModelKeys {
    private static final int MAX_BLOCKS = 4096;
    private static final int MAX_WIDTH = 1 << 24;

    /** Several times the count of any known model; each expert adds operators to every graph. */
    private static final int MAX_EXPERTS_USED = 64;

    private final GgufFile file;
    private final GgufMetadata metadata;
    private final String architecture;
    private final String prefix;
    private final ModelOptions options;
    private final int blocks;
    private final int skippedBlocks;

    /** Position of the multi-token prediction blocks. */
    private enum Guessing {
        /** Some blocks after the backbone. */
        LAST,
        /** All blocks: there is no backbone. */
        ALL
    }

    /**
     * Reads the number of layers.
     *
     * @throws ModelFormatException if it is missing or invalid
     */
    public ModelKeys(GgufFile file, ModelOptions options) {
        this(file, options, Guessing.LAST);
    }

    private ModelKeys(GgufFile file, ModelOptions options, Guessing guessing) {
        this.options = options;
        this.file = file;
        metadata = file.metadata();
        architecture = file.architecture();
        prefix = architecture + ".";
        blocks = positive("block_count");
        if (blocks > MAX_BLOCKS) {
            throw wrong("block_count", "at most " + MAX_BLOCKS, blocks);
        }
        long nextToken = metadata.findInteger(prefix + "nextn_predict_layers").orElse(0);
        if (guessing == Guessing.ALL) {
            if (nextToken != blocks) {
                throw wrong("nextn_predict_layers", "all " + blocks + " blocks", nextToken);
            }
            skippedBlocks = 0;
        } else {
            if (nextToken < 0 || nextToken >= blocks) {
                throw wrong("nextn_predict_layers", "from 0 to below " + blocks, nextToken);
            }
            skippedBlocks = (int) nextToken;
        }
    }

    /**
     * Reads a file all of whose blocks draft tokens for another model; they are its layers.
     *
     * @throws ModelFormatException if {@code nextn_predict_layers} is not the number of blocks
     */
    public static ModelKeys ofMtpBlocks(GgufFile file, ModelOptions options) {
        return new ModelKeys(file, options, Guessing.ALL);
    }

    /** Returns the parts that decoder models share. */
    public DecoderBackbone trunk() {
        return new DecoderBackbone(
                architecture,
                new ModelShape.Sizes(width(), vocabulary(), context()),
                layers(),
                skippedBlocks,
                epsilon());
    }

    /** Layers of the backbone, without multi-token prediction blocks. */
    public int layers() {
        return blocks - skippedBlocks;
    }

    /** Multi-token prediction blocks after the backbone. */
    public int skippedBlocks() {
        return skippedBlocks;
    }

    /** Width of the hidden state. */
    public int width() {
        return positive("embedding_length");
    }

    /** Positions that the model was trained for. */
    public int context() {
        return positive("context_length");
    }

    /** Rows of the output head. */
    public int vocabulary() {
        return has("vocab_size")
                ? positive("vocab_size")
                : metadata.stringBytes("tokenizer.ggml.tokens").length;
    }

    /** Epsilon of the root-mean-square norms, or that of all norms. */
    public float epsilon() {
        String name = "attention.layer_norm_rms_epsilon";
        if (!has(name) && has("attention.layer_norm_epsilon")) {
            name = "attention.layer_norm_epsilon";
        }
        double epsilon = metadata.number(prefix + name);
        if (!(epsilon >= 0 && epsilon < 1)) {
            throw wrong(name, "from 0 to below 1", epsilon);
        }
        return (float) epsilon;
    }

    /** Returns whether a key exists. */
    public boolean has(String name) {
        return metadata.has(prefix + name);
    }

    /**
     * Declares keys that this model does not need, whatever their values: a warning names keys of
     * positions and attention that a family never asks for.
     */
    public void ignore(String... names) {
        for (String name : names) {
            has(name);
        }
    }

    /** A required number from 1 to 2^31 - 1. */
    public int positive(String name) {
        return metadata.positiveInt(prefix + name);
    }

    /** A number from 1, or {@code fallback} where the key is missing. */
    public int positive(String name, int fallback) {
        return has(name) ? positive(name) : fallback;
    }

    /** A number from 0 to {@code most}, 0 where the key is missing. */
    public int count(String name, int most) {
        long count = metadata.findInteger(prefix + name).orElse(0);
        if (count < 0 || count > most) {
            throw wrong(name, "from 0 to " + most, count);
        }
        return (int) count;
    }

    /** A number that is finite in single precision; {@code fallback} where the key is missing. */
    public float number(String name, float fallback) {
        double number = metadata.findNumber(prefix + name).orElse(fallback);
        if (!Float.isFinite((float) number)) {
            throw wrong(name, "a finite number", number);
        }
        return (float) number;
    }

    /** A boolean; false where the key is missing. */
    public boolean isSet(String name) {
        return metadata.findBool(prefix + name).orElse(false);
    }

    /** A required number per layer from 1; one value stands for all layers. */
    public int[] perLayer(String name) {
        return perLayer(name, value -> value > 0, "from 1");
    }

    /** A number per layer from 1; {@code fallback} for all where the key is missing. */
    public int[] perLayer(String name, int[] fallback) {
        return has(name) ? perLayer(name) : fallback.clone();
    }

    /** Experts used per token, out of {@code experts}. */
    public int expertsUsed(int experts) {
        String name = "expert_used_count";
        int used = positive(name);
        int most = Math.min(experts, MAX_EXPERTS_USED);
        if (used > most) {
            throw wrong(name, "at most " + most, used);
        }
        return used;
    }

    /** A number per layer, some of which may be 0. */
    public int[] perLayerOrZero(String name) {
        return perLayer(name, value -> value >= 0, "from 0");
    }

    private int[] perLayer(String name, LongPredicate valid, String expected) {
        long[] values = metadata.integers(prefix + name);
        if (values.length != 1 && values.length < layers()) {
            throw wrong(name, "one value or " + layers(), values.length + " values");
        }
        int[] all = new int[layers()];
        for (int layer = 0; layer < all.length; layer++) {
            long value = values.length == 1 ? values[0] : values[layer];
            if (!valid.test(value) || value > MAX_WIDTH) {
                throw wrong(name, expected + " to " + MAX_WIDTH, value);
            }
            all[layer] = (int) value;
        }
        return all;
    }

    /** A flag per layer; empty where the key is missing or holds a single number. */
    public Optional<boolean[]> flags(String name) {
        if (!metadata.isArray(prefix + name)) {
            return Optional.empty();
        }
        long[] values = metadata.integers(prefix + name);
        if (values.length < layers()) {
            throw wrong(name, "at least " + layers() + " entries", values.length);
        }
        boolean[] flags = new boolean[layers()];
        for (int layer = 0; layer < flags.length; layer++) {
            flags[layer] = values[layer] != 0;
        }
        return Optional.of(flags);
    }

    /** Numbers of an array; a single value counts as an array of one. */
    public long[] integers(String name) {
        return metadata.integers(prefix + name);
    }

    /** Elements of an attention head, of keys and values alike. */
    public int headLength(String keyName, String valueName, int fallback) {
        int key = positive(keyName, fallback);
        int value = positive(valueName, key);
        if (value != key) {
            throw wrong(valueName, key + " (the key length)", value);
        }
        if (key > 1024) {
            throw wrong(keyName, "at most 1024", key);
        }
        return key;
    }

    /** Checks that the number of query heads is a multiple of the number of KV heads. */
    public void requireGroups(int[] heads, int[] kvHeads) {
        for (int layer = 0; layer < heads.length; layer++) {
            if (kvHeads[layer] <= 0 || heads[layer] % kvHeads[layer] != 0) {
                throw wrong(
                        "attention.head_count",
                        "a multiple of the KV heads, " + kvHeads[layer] + ", in layer " + layer,
                        heads[layer]);
            }
        }
    }

    /** Dimensions that the rotary embedding rotates: even, at most the head. */
    public int ropeDimensions(String name, int headLength, int fallback) {
        int dimensions = positive(name, fallback);
        if (dimensions % 2 != 0 || dimensions > headLength) {
            throw wrong(name, "even and at most the head length " + headLength, dimensions);
        }
        return dimensions;
    }

    /** A positive base of the rotary embedding. */
    public float ropeBase(String name, float fallback) {
        float base = number(name, fallback);
        if (!(base > 0)) {
            throw wrong(name, "positive", base);
        }
        return base;
    }

    /** Rotary embedding without context extension. */
    public RopeOptions plainRope(int dimensions, RopeOptions.Mode mode, float base) {
        return RopeOptions.plain(dimensions, mode, base, context());
    }

    /**
     * Rotary embedding as {@code rope.scaling.*} describes it: none, linear or YaRN. A factor
     * without a type is of the linear one; {@code rope.scale_linear} is its older name.
     *
     * @see <a href="https://arxiv.org/abs/2309.00071">YaRN, section 3</a>
     */
    public RopeOptions scaledRope(int dimensions, RopeOptions.Mode mode, float base) {
        RopeScaling scaling = new RopeScaling(this, options);
        scaling.requireNoFactors();
        return scaling.of(dimensions, mode, base);
    }

    /**
     * Rotary embedding like {@link #scaledRope}, for families that divide the angles by the tensor
     * of {@link #ropeFactors}: the scaling may also consist of such factors, for long contexts.
     */
    public RopeOptions scaledRopeWithFactors(int dimensions, RopeOptions.Mode mode, float base) {
        return new RopeScaling(this, options).of(dimensions, mode, base);
    }

    /**
     * Name of the tensor with a divisor of each pair's angle, {@code F32 [dimensions / 2]}; empty
     * if the file has none. Files whose {@code rope.scaling.type} is {@code longrope} have two:
     * sequences that may exceed {@code rope.scaling.original_context_length} have the long ones,
     * from their first token on.
     */
    public Optional<String> ropeFactors() {
        return new RopeScaling(this, options).factors();
    }

    /**
     * The tensor of {@link #ropeFactors} if the length of sequences decides between several, for
     * {@link LayerSplitAdapter#contextVariant}.
     */
    public Optional<String> ropeFactorsByContext() {
        return new RopeScaling(this, options).factorsByContext();
    }

    /**
     * Magnitude of YaRN for a logarithmic multiplier: {@code 1 + 0.1 * multiplier * ln(factor)}.
     */
    public float yarnMagnitude(float multiplier) {
        return new RopeScaling(this, options).magnitude(multiplier);
    }

    /** Position of the layer of full attention in a period of layers. */
    public enum FullLayer {
        /** The layers after it have sliding attention. */
        FIRST,
        /** The layers before it have sliding attention. */
        LAST
    }

    /** Returns which layers have sliding attention, with the full layer first in each period. */
    public boolean[] slidingLayers(int period) {
        return slidingLayers(period, FullLayer.FIRST);
    }

    /**
     * Returns which layers have sliding attention: an array of flags, or a period with one layer of
     * full attention.
     *
     * @param period where the key is missing
     */
    public boolean[] slidingLayers(int period, FullLayer full) {
        String name = "attention.sliding_window_pattern";
        Optional<boolean[]> flags = flags(name);
        if (flags.isPresent()) {
            return flags.get();
        }
        int given = positive(name, period);
        boolean[] sliding = new boolean[layers()];
        for (int layer = 0; layer < sliding.length; layer++) {
            sliding[layer] = layer % given != (full == FullLayer.FIRST ? 0 : given - 1);
        }
        return sliding;
    }

    /** A text, if the key exists. */
    public Optional<String> text(String name) {
        return metadata.findString(prefix + name);
    }

    /** Returns whether the file has a tensor of this whole name. */
    public boolean hasTensor(String name) {
        return file.tensor(name).isPresent();
    }

    /**
     * Creates an exception with the file, the key, the expected and the found value; the caller
     * throws it.
     */
    public ModelFormatException wrong(String name, String expected, Object found) {
        return new ModelFormatException(
                file.path(),
                prefix + name,
                expected,
                found instanceof int[] values ? Arrays.toString(values) : String.valueOf(found));
    }
}
