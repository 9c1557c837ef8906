package dev.varve.platform.vision;

/**
 * A decoded image.
 *
 * @param width in pixels
 * @param height in pixels
 * @param rgb {@code height * width * 3} bytes: rows from the top, red, green and blue of each
 *     pixel; not to be modified
 */
public record RgbImage(int width, int height, byte[] rgb) {
    /** Checks the number of bytes. */
    public RgbImage {
        if (rgb.length != 3L * width * height) {
            throw new IllegalArgumentException(
                    rgb.length + " bytes do not fill " + width + "x" + height + " pixels");
        }
    }
}
