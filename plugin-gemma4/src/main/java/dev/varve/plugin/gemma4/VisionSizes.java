package dev.varve.plugin.gemma4;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufMetadata;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImageInput.ChannelValues;
import dev.varve.api.vision.ImageMarks;

/**
 * Sizes that both kinds of image encoders have.
 *
 * @param patch side in pixels of a patch in the file
 * @param pooling patches on each side of the square that becomes one token
 * @param width of the encoder's hidden state
 * @param positions rows of the position table for each axis
 * @param output width of the rows that enter the model
 * @param epsilon of the norms
 * @param input sizes and colours of images
 */
record VisionSizes(
        int patch,
        int pooling,
        int width,
        int positions,
        int output,
        float epsilon,
        ImageInput input) {
    static final String KEYS = "clip.vision.";
    static final String POSITIONS = "v.position_embd.weight";

    /** The template writes the first mark for an image, and the platform the other two. */
    static final ImageMarks MARKS =
            new ImageMarks("<|image|>", "<|image>", "<image|>", ImageMarks.Writer.PLATFORM);

    private static final int USUAL_POOLING = 3;
    private static final int MIN_TOKENS = 70;
    private static final int MAX_TOKENS = 1120;
    private static final int AXES = 2;

    static VisionSizes read(GgufFile file) {
        GgufMetadata keys = file.metadata();
        int patch = keys.positiveInt(KEYS + "patch_size");
        String factor = KEYS + "projector.scale_factor";
        int pooling = keys.has(factor) ? keys.positiveInt(factor) : USUAL_POOLING;
        return new VisionSizes(
                patch,
                pooling,
                keys.positiveInt(KEYS + "embedding_length"),
                positions(file),
                keys.positiveInt(KEYS + "projection_dim"),
                (float) keys.number(KEYS + "attention.layer_norm_epsilon"),
                new ImageInput(
                        Math.multiplyExact(patch, pooling),
                        MIN_TOKENS,
                        MAX_TOKENS,
                        ChannelValues.of(keys.floats(KEYS + "image_mean")),
                        ChannelValues.of(keys.floats(KEYS + "image_std"))));
    }

    private static int positions(GgufFile file) {
        long rows = file.requireTensor(POSITIONS).ne(1);
        if (rows < 1 || rows > Integer.MAX_VALUE / AXES) {
            throw new ModelFormatException(
                    file.path(), POSITIONS, "a table for each axis", rows + " rows");
        }
        return (int) rows;
    }
}
