package dev.varve.api.vision;

/**
 * Sizes and colours of the images that an encoder reads.
 *
 * @param align side in pixels of the square that becomes one token
 * @param minTokens smaller images are enlarged to about as many tokens
 * @param maxTokens larger images are reduced to at most as many tokens
 * @param mean of each of the three channels, subtracted from values between 0 and 1
 * @param deviation by which each channel is then divided
 */
public record ImageInput(
        int align, int minTokens, int maxTokens, ChannelValues mean, ChannelValues deviation) {
    /** A value for each channel. */
    public record ChannelValues(float red, float green, float blue) {
        /** Creates values from an array of three. */
        public static ChannelValues of(float[] values) {
            if (values.length != 3) {
                throw new IllegalArgumentException("expected 3 values, found " + values.length);
            }
            return new ChannelValues(values[0], values[1], values[2]);
        }

        /** Value of a channel, 0 for red to 2 for blue. */
        public float of(int channel) {
            return switch (channel) {
                case 0 -> red;
                case 1 -> green;
                case 2 -> blue;
                default -> throw new IndexOutOfBoundsException(channel);
            };
        }
    }

    /** Checks the limits. */
    public ImageInput {
        if (align < 1 || minTokens < 1 || maxTokens < minTokens) {
            throw new IllegalArgumentException(
                    "invalid limits: " + align + ", " + minTokens + " to " + maxTokens + " tokens");
        }
    }

    /** Returns the same with other limits. */
    public ImageInput withTokens(int least, int most) {
        return new ImageInput(align, least, most, mean, deviation);
    }
}
