package dev.varve.platform.vision;

/**
 * An image as it enters a model.
 *
 * @param size tokens of the image
 * @param key identity of its rows
 * @param rows {@code [width, tokens]}; not to be modified
 */
public record EncodedImage(ImageGrid size, ImageKey key, float[] rows) {
    /** The ids that stand for its tokens. */
    public int[] tokens() {
        return key.tokens(size.tokens());
    }

    /** Bytes of the rows. */
    public long bytes() {
        return (long) rows.length * Float.BYTES;
    }
}
