package dev.varve.platform.vision;

/**
 * Format and size of an image, read from its header without decoding it.
 *
 * @param width of the upright image in pixels, at least 1
 * @param height of the upright image in pixels, at least 1
 * @param orientation how the stored pixels are turned
 */
public record ImageHeader(ImageFormat format, int width, int height, Orientation orientation) {
    private static final int PNG_SIZE = 16;
    private static final int BMP_SIZE = 18;

    /** Length of the oldest BMP header, which has 16-bit sizes. */
    private static final int BMP_CORE = 12;

    /**
     * Reads the header of a file.
     *
     * @throws InvalidImageException if the file is none of a supported format, or cut in its header
     */
    public static ImageHeader read(byte[] file) {
        ImageFormat format = ImageFormat.of(file);
        HeaderBytes bytes = new HeaderBytes(format, file);
        return switch (format) {
            case PNG -> upright(format, bytes.big32(PNG_SIZE), bytes.big32(PNG_SIZE + 4));
            case GIF -> upright(format, bytes.little16(6), bytes.little16(8));
            case BMP -> bmp(bytes);
            case JPEG -> JpegHeader.read(bytes);
            case WEBP -> throw new AssertionError("refused by ImageFormat");
        };
    }

    private static ImageHeader bmp(HeaderBytes bytes) {
        if (bytes.little32(14) == BMP_CORE) {
            return upright(ImageFormat.BMP, bytes.little16(BMP_SIZE), bytes.little16(BMP_SIZE + 2));
        }
        // A negative height means that the rows begin at the top.
        int height = bytes.little32(BMP_SIZE + 4);
        return upright(ImageFormat.BMP, bytes.little32(BMP_SIZE), Math.abs(height));
    }

    private static ImageHeader upright(ImageFormat format, int width, int height) {
        return of(format, width, height, Orientation.UPRIGHT);
    }

    static ImageHeader of(ImageFormat format, int width, int height, Orientation orientation) {
        if (width < 1 || height < 1) {
            throw new InvalidImageException(
                    "the " + format.mediaType() + " header has the size " + width + "x" + height);
        }
        return orientation.isTurned()
                ? new ImageHeader(format, height, width, orientation)
                : new ImageHeader(format, width, height, orientation);
    }

    /** Size as messages show it, such as {@code 640x480}. */
    public String size() {
        return width + "x" + height;
    }
}
