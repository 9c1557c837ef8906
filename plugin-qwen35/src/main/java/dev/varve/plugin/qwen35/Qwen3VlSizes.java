package dev.varve.plugin.qwen35;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImageInput.ChannelValues;

import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Sizes of an image encoder.
 *
 * @param patch side of a patch in pixels
 * @param width of the encoder's hidden state
 * @param inner width of its feed-forward
 * @param layers number of its blocks
 * @param heads of its attention
 * @param tableSide rows and columns of the position table
 * @param output width of the rows that enter the model
 * @param epsilon of all norms
 * @param input sizes and colours of images
 */
record Qwen3VlSizes(
        int patch,
        int width,
        int inner,
        int layers,
        int heads,
        int tableSide,
        int output,
        float epsilon,
        ImageInput input) {
    /** Patches on each side of the square that becomes one token. */
    static final int MERGE = 2;

    private static final int MIN_TOKENS = 8;
    private static final int MAX_TOKENS = 4096;
    private static final String KEYS = "clip.vision.";

    /** Elements of a head. */
    int headLength() {
        return width / heads;
    }

    static Qwen3VlSizes read(GgufFile file) {
        GgufMetadata keys = file.metadata();
        requireFeatures(file, keys);
        int patch = keys.positiveInt(KEYS + "patch_size");
        int width = keys.positiveInt(KEYS + "embedding_length");
        int heads = keys.positiveInt(KEYS + "attention.head_count");
        if (width % heads != 0 || width / heads % 4 != 0) {
            throw new ModelFormatException(
                    file.path(),
                    KEYS + "attention.head_count",
                    "a divisor of " + width + " that leaves a multiple of 4",
                    Integer.toString(heads));
        }
        return new Qwen3VlSizes(
                patch,
                width,
                keys.positiveInt(KEYS + "feed_forward_length"),
                keys.positiveInt(KEYS + "block_count"),
                heads,
                tableSide(file),
                keys.positiveInt(KEYS + "projection_dim"),
                (float) keys.number(KEYS + "attention.layer_norm_epsilon"),
                input(keys, patch * MERGE));
    }

    /** The usual limits of tokens, which a file may narrow. */
    private static ImageInput input(GgufMetadata keys, int align) {
        int most = Math.min(MAX_TOKENS, tokens(keys, "image_max_pixels", align, MAX_TOKENS));
        int least = Math.max(MIN_TOKENS, tokens(keys, "image_min_pixels", align, MIN_TOKENS));
        return new ImageInput(
                align,
                Math.min(least, most),
                most,
                ChannelValues.of(keys.floats(KEYS + "image_mean")),
                ChannelValues.of(keys.floats(KEYS + "image_std")));
    }

    /** Number of whole tokens in the pixels of a key, 1 to {@value #MAX_TOKENS}. */
    private static int tokens(GgufMetadata keys, String key, int align, int usual) {
        OptionalLong pixels = keys.findInteger(KEYS + key);
        return pixels.isPresent()
                ? Math.clamp(pixels.getAsLong() / ((long) align * align), 1, MAX_TOKENS)
                : usual;
    }

    private static void requireFeatures(GgufFile file, GgufMetadata keys) {
        int merge = keys.positiveInt(KEYS + "spatial_merge_size");
        if (merge != MERGE) {
            throw unsupported(file, "patches merged by " + merge + "; only by " + MERGE);
        }
        boolean gelu = keys.findBool("clip.use_gelu").orElse(false);
        if (!gelu || keys.findBool("clip.use_silu").orElse(false)) {
            throw unsupported(file, "an activation other than GELU (clip.use_gelu)");
        }
        long[] deep = keys.findIntegers(KEYS + "is_deepstack_layers").orElse(new long[0]);
        long count = LongStream.of(deep).filter(each -> each != 0).count();
        if (count > 0) {
            int width = keys.positiveInt(KEYS + "projection_dim");
            throw unsupported(
                    file,
                    "deepstack layers: its rows have "
                            + (1 + count) * width
                            + " elements, and the models of this family read "
                            + width);
        }
    }

    private static VarveException unsupported(GgufFile file, String feature) {
        return new VarveException(
                VarveException.Kind.UNSUPPORTED_MODEL,
                file.path().getFileName() + ": the projector uses " + feature);
    }

    private static int tableSide(GgufFile file) {
        long rows = file.requireTensor(Qwen3VlTensors.POSITIONS).ne(1);
        int side = (int) Math.sqrt(rows);
        if (side < 1 || (long) side * side != rows) {
            throw new ModelFormatException(
                    file.path(), Qwen3VlTensors.POSITIONS, "a square of rows", rows + " rows");
        }
        return side;
    }
}
