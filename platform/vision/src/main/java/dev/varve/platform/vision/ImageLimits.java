package dev.varve.platform.vision;

/**
 * Limits of an image, checked before it is decoded.
 *
 * @param bytes maximum size of the file
 * @param pixels maximum product of width and height
 * @param side maximum of width and of height, in pixels
 * @param ratio maximum quotient of the longer and the shorter side
 */
public record ImageLimits(int bytes, long pixels, int side, int ratio) {
    /** 20 MiB, 50 million pixels, 32768 pixels a side, and a ratio of 200. */
    public static ImageLimits defaults() {
        return new ImageLimits(20 << 20, 50_000_000, 32_768, 200);
    }

    /**
     * Checks the length of a file.
     *
     * @throws InvalidImageException if it exceeds the limit
     */
    public void requireBytes(long found) {
        if (found > bytes) {
            throw new InvalidImageException(
                    "the file has " + found + " bytes; at most " + bytes + " are allowed");
        }
    }

    /**
     * Checks the size of an image.
     *
     * @throws InvalidImageException if it exceeds a limit
     */
    public void requireSize(ImageHeader header) {
        long longer = Math.max(header.width(), header.height());
        long shorter = Math.min(header.width(), header.height());
        if (longer > side) {
            throw new InvalidImageException(
                    header.size() + " pixels; a side may have at most " + side);
        }
        if (longer * shorter > pixels) {
            throw new InvalidImageException(
                    header.size() + " pixels; at most " + pixels + " in total are allowed");
        }
        if (longer > ratio * shorter) {
            throw new InvalidImageException(
                    header.size()
                            + " pixels; the longer side may be at most "
                            + ratio
                            + " times the shorter one");
        }
    }
}
