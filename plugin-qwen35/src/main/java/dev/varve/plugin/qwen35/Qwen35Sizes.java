package dev.varve.plugin.qwen35;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.ModelFormatException;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * Hyper-parameters of a {@code qwen35} file.
 *
 * @param layers trunk layers, without multi-token prediction blocks
 * @param skippedBlocks multi-token prediction blocks behind the trunk
 * @param recurrent per trunk layer, whether it is a gated delta net (else full attention)
 * @param feedForward per trunk layer, width of the feed-forward
 * @param headLength elements of one attention head, K and V alike
 * @param ropeSections rotary pairs per position axis
 * @param keyHeads key heads of the delta net
 * @param valueHeads value heads of the delta net
 * @param stateSize elements of one delta net head, K and V alike
 */
record Qwen35Sizes(
        int layers,
        int skippedBlocks,
        int width,
        int vocabulary,
        int context,
        boolean[] recurrent,
        int[] feedForward,
        int heads,
        int kvHeads,
        int headLength,
        float attentionScale,
        float epsilon,
        int ropeDimensions,
        int[] ropeSections,
        RopeScaling rope,
        int convKernel,
        int keyHeads,
        int valueHeads,
        int stateSize) {

    /** Arguments of the rotary embedding after {@code rope.scaling.*}. */
    record RopeScaling(float base, float scale, float extrapolation, int originalContext) {}

    /** Channels of the convolution: all query, key and value heads. */
    int convChannels() {
        return 2 * keyHeads * stateSize + valueHeads * stateSize;
    }

    int keyLength() {
        return keyHeads * stateSize;
    }

    int valueLength() {
        return valueHeads * stateSize;
    }

    static Qwen35Sizes read(GgufFile file) {
        return new Reader(file).read();
    }

    /** Reads and checks the keys; all of them carry the architecture as prefix. */
    private static final class Reader {
        private final Path path;
        private final GgufMetadata metadata;
        private final String prefix;
        private final int blocks;
        private final int layers;

        Reader(GgufFile file) {
            path = file.path();
            metadata = file.metadata();
            prefix = file.architecture() + ".";
            blocks = positive("block_count");
            long skipped = metadata.findInteger(prefix + "nextn_predict_layers").orElse(0);
            require(
                    skipped >= 0 && skipped < blocks,
                    "nextn_predict_layers",
                    "from 0 to below " + blocks,
                    skipped);
            require(blocks <= 4096, "block_count", "at most 4096", blocks);
            layers = blocks - (int) skipped;
        }

        Qwen35Sizes read() {
            int width = positive("embedding_length");
            int heads = layerValue("attention.head_count", Optional.empty());
            int kvHeads = layerValue("attention.head_count_kv", Optional.of(heads));
            int headLength = optional("attention.key_length", width / heads);
            int valueLength = optional("attention.value_length", headLength);
            require(
                    valueLength == headLength,
                    "attention.value_length",
                    headLength + " (the key length)",
                    valueLength);
            require(
                    heads % kvHeads == 0,
                    "attention.head_count",
                    "a multiple of " + kvHeads + " KV heads",
                    heads);
            int ropeDimensions = optional("rope.dimension_count", headLength);
            require(
                    ropeDimensions % 2 == 0 && ropeDimensions <= headLength,
                    "rope.dimension_count",
                    "even and at most the head length " + headLength,
                    ropeDimensions);
            int stateSize = positive("ssm.state_size");
            int keyHeads = positive("ssm.group_count");
            int valueHeads = positive("ssm.time_step_rank");
            long inner = positive("ssm.inner_size");
            require(
                    inner == (long) valueHeads * stateSize,
                    "ssm.inner_size",
                    valueHeads + " value heads x " + stateSize,
                    inner);
            require(
                    valueHeads % keyHeads == 0,
                    "ssm.time_step_rank",
                    "a multiple of " + keyHeads + " key heads",
                    valueHeads);
            require(
                    stateSize <= 1024 && headLength <= 1024,
                    "ssm.state_size",
                    "heads of at most 1024 elements",
                    Math.max(stateSize, headLength));
            require(
                    (2L * keyHeads + valueHeads) * stateSize <= 1 << 24,
                    "ssm.inner_size",
                    "at most 2^24 channels",
                    inner);
            int convKernel = positive("ssm.conv_kernel");
            require(
                    convKernel >= 2 && convKernel <= 64,
                    "ssm.conv_kernel",
                    "from 2 to 64",
                    convKernel);
            return new Qwen35Sizes(
                    layers,
                    blocks - layers,
                    width,
                    vocabulary(),
                    positive("context_length"),
                    recurrentLayers(),
                    feedForward(),
                    heads,
                    kvHeads,
                    headLength,
                    scale(headLength),
                    epsilon(),
                    ropeDimensions,
                    sections(ropeDimensions),
                    ropeScaling(),
                    convKernel,
                    keyHeads,
                    valueHeads,
                    stateSize);
        }

        private int vocabulary() {
            if (metadata.has(prefix + "vocab_size")) {
                return positive("vocab_size");
            }
            return metadata.stringBytes("tokenizer.ggml.tokens").length;
        }

        private boolean[] recurrentLayers() {
            boolean[] recurrent = new boolean[layers];
            Optional<long[]> flags = metadata.findIntegers(prefix + "attention.recurrent_layers");
            if (flags.isPresent()) {
                long[] values = flags.get();
                require(
                        values.length >= layers,
                        "attention.recurrent_layers",
                        "at least " + layers + " entries",
                        values.length);
                for (int layer = 0; layer < layers; layer++) {
                    recurrent[layer] = values[layer] != 0;
                }
                return recurrent;
            }
            int interval = optional("full_attention_interval", 4);
            for (int layer = 0; layer < layers; layer++) {
                recurrent[layer] = (layer + 1) % interval != 0;
            }
            return recurrent;
        }

        private int[] feedForward() {
            String key = prefix + "feed_forward_length";
            long[] values = metadata.integers(key);
            int[] widths = new int[layers];
            require(
                    values.length == 1 || values.length >= layers,
                    "feed_forward_length",
                    "one value or " + layers,
                    values.length);
            for (int layer = 0; layer < layers; layer++) {
                long value = values.length == 1 ? values[0] : values[layer];
                require(
                        value > 0 && value <= 1 << 24,
                        "feed_forward_length",
                        "from 1 to 2^24",
                        value);
                widths[layer] = (int) value;
            }
            return widths;
        }

        /**
         * A count that may be given per layer, with 0 for delta net layers; the value of the
         * attention layers.
         */
        private int layerValue(String name, Optional<Integer> fallback) {
            if (fallback.isPresent() && !metadata.has(prefix + name)) {
                return fallback.get();
            }
            int[] distinct =
                    Arrays.stream(metadata.integers(prefix + name))
                            .limit(layers)
                            .filter(value -> value != 0)
                            .mapToInt(value -> Math.clamp(value, -1, Integer.MAX_VALUE))
                            .distinct()
                            .toArray();
            require(
                    distinct.length == 1 && distinct[0] > 0 && distinct[0] <= 1 << 16,
                    name,
                    "one positive value for all attention layers",
                    Arrays.toString(distinct));
            return distinct[0];
        }

        private float scale(int headLength) {
            double scale = metadata.findNumber(prefix + "attention.scale").orElse(0);
            // In single precision, like every other runner: the last bit moves quantised models by
            // a percent.
            return scale == 0 ? 1 / (float) Math.sqrt(headLength) : (float) scale;
        }

        private float epsilon() {
            double epsilon = metadata.number(prefix + "attention.layer_norm_rms_epsilon");
            require(
                    epsilon >= 0 && epsilon < 1,
                    "attention.layer_norm_rms_epsilon",
                    "from 0 to below 1",
                    epsilon);
            return (float) epsilon;
        }

        private int[] sections(int ropeDimensions) {
            long[] values = metadata.integers(prefix + "rope.dimension_sections");
            require(
                    values.length >= 3 && values.length <= 4,
                    "rope.dimension_sections",
                    "3 or 4 entries",
                    values.length);
            int[] sections = new int[4];
            long sum = 0;
            for (int axis = 0; axis < values.length; axis++) {
                require(
                        values[axis] >= 0,
                        "rope.dimension_sections",
                        "no negative entry",
                        values[axis]);
                sections[axis] = (int) Math.min(values[axis], 1 << 20);
                sum += values[axis];
            }
            require(
                    sum == ropeDimensions / 2,
                    "rope.dimension_sections",
                    "a sum of " + ropeDimensions / 2 + " (half of rope.dimension_count)",
                    sum);
            return sections;
        }

        private RopeScaling ropeScaling() {
            float base = (float) metadata.findNumber(prefix + "rope.freq_base").orElse(10000);
            require(base > 0, "rope.freq_base", "positive", base);
            String type = metadata.findString(prefix + "rope.scaling.type").orElse("none");
            double factor = metadata.findNumber(prefix + "rope.scaling.factor").orElse(1);
            int context = positive("context_length");
            if (type.equals("none") || factor == 0) {
                return new RopeScaling(base, 1, 0, context);
            }
            require(factor > 0, "rope.scaling.factor", "positive", factor);
            int original = optional("rope.scaling.original_context_length", context);
            return switch (type) {
                case "linear" -> new RopeScaling(base, (float) (1 / factor), 0, original);
                case "yarn" -> new RopeScaling(base, (float) (1 / factor), 1, original);
                default ->
                        throw new ModelFormatException(
                                path, prefix + "rope.scaling.type", "none, linear or yarn", type);
            };
        }

        private int positive(String name) {
            return metadata.positiveInt(prefix + name);
        }

        private int optional(String name, int fallback) {
            return metadata.has(prefix + name) ? positive(name) : fallback;
        }

        private void require(boolean valid, String name, String expected, Object found) {
            if (!valid) {
                throw new ModelFormatException(
                        path, prefix + name, expected, String.valueOf(found));
            }
        }
    }
}
