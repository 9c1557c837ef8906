package dev.varve.api.vision;

/**
 * An image as an encoder reads it.
 *
 * @param width in pixels, a multiple of {@link ImageInput#align}
 * @param height in pixels, a multiple of {@link ImageInput#align}
 * @param values {@code 3 * height * width} normalised values: channel by channel, rows from the top
 */
public record ImagePixels(int width, int height, float[] values) {
    /** Channels of an image. */
    public static final int CHANNELS = 3;

    /** Checks the number of values. */
    public ImagePixels {
        if (values.length != (long) CHANNELS * width * height) {
            throw new IllegalArgumentException(
                    values.length + " values do not fill " + width + "x" + height + " pixels");
        }
    }

    /** Offset of a pixel's value. */
    public int offset(int channel, int x, int y) {
        return (channel * height + y) * width + x;
    }
}
