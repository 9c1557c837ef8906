package dev.varve.platform.vision;

/**
 * How a camera was held: the value of the EXIF tag {@value #TAG}.
 *
 * @param value 1 for an upright image, up to 8
 */
public record Orientation(int value) {
    /** Number of the tag. */
    static final int TAG = 0x0112;

    /** The orientation of files without the tag. */
    static final Orientation UPRIGHT = new Orientation(1);

    /** An unknown value counts as upright. */
    static Orientation of(int value) {
        return value >= 1 && value <= 8 ? new Orientation(value) : UPRIGHT;
    }

    /** Whether width and height of the upright image are swapped. */
    boolean isTurned() {
        return value >= 5;
    }

    /** Returns the upright image. */
    RgbImage apply(RgbImage image) {
        if (value == 1) {
            return image;
        }
        int width = isTurned() ? image.height() : image.width();
        int height = isTurned() ? image.width() : image.height();
        byte[] upright = new byte[image.rgb().length];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int source = source(image, isTurned() ? y : x, isTurned() ? x : y);
                System.arraycopy(image.rgb(), source, upright, 3 * (y * width + x), 3);
            }
        }
        return new RgbImage(width, height, upright);
    }

    /**
     * Offset of a stored pixel.
     *
     * @param across its distance from the left edge of the stored image, or from the right edge
     * @param down its distance from the upper edge of the stored image, or from the lower edge
     */
    private int source(RgbImage image, int across, int down) {
        boolean fromRight = value == 2 || value == 3 || value == 7 || value == 8;
        boolean fromBottom = value == 3 || value == 4 || value == 6 || value == 7;
        int x = fromRight ? image.width() - 1 - across : across;
        int y = fromBottom ? image.height() - 1 - down : down;
        return 3 * (y * image.width() + x);
    }
}
