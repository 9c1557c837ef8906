package dev.varve.platform.vision;

import dev.varve.api.vision.ImageInput;
import dev.varve.api.vision.ImagePixels;

/** Turns the bytes of a canvas into the values that an encoder reads. */
public final class PixelNormalizer {
    private static final int LEVELS = 256;

    private PixelNormalizer() {}

    /** Returns {@code (byte / 255 - mean) / deviation} of each channel, in single precision. */
    public static ImagePixels normalize(RgbImage canvas, ImageInput input) {
        int pixels = canvas.width() * canvas.height();
        float[] values = new float[ImagePixels.CHANNELS * pixels];
        for (int channel = 0; channel < ImagePixels.CHANNELS; channel++) {
            float[] levels = levels(input.mean().of(channel), input.deviation().of(channel));
            int target = channel * pixels;
            for (int source = channel; source < canvas.rgb().length; source += 3) {
                values[target++] = levels[canvas.rgb()[source] & 0xff];
            }
        }
        return new ImagePixels(canvas.width(), canvas.height(), values);
    }

    private static float[] levels(float mean, float deviation) {
        float[] levels = new float[LEVELS];
        for (int level = 0; level < LEVELS; level++) {
            levels[level] = (level / 255f - mean) / deviation;
        }
        return levels;
    }
}
