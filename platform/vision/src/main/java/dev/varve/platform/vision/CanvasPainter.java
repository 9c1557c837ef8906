package dev.varve.platform.vision;

/**
 * Resamples an image to the largest size of its own proportions that fits a canvas, and centres it
 * there on black.
 */
public final class CanvasPainter {
    private static final int CHANNELS = 3;

    private CanvasPainter() {}

    /** Returns the canvas with the image. */
    public static RgbImage paint(RgbImage image, CanvasSize canvas) {
        if (image.width() == canvas.width() && image.height() == canvas.height()) {
            return image;
        }
        float across = (float) canvas.width() / image.width();
        float down = (float) canvas.height() / image.height();
        float scale = Math.min(across, down);
        int width = Math.min((int) Math.ceil(image.width() * scale), canvas.width());
        int height = Math.min((int) Math.ceil(image.height() * scale), canvas.height());
        RgbImage resampled = resample(image, width, height);
        return centre(resampled, canvas);
    }

    private static RgbImage centre(RgbImage image, CanvasSize canvas) {
        byte[] rgb = new byte[CHANNELS * canvas.width() * canvas.height()];
        int left = (canvas.width() - image.width()) / 2;
        int top = (canvas.height() - image.height()) / 2;
        int row = CHANNELS * image.width();
        for (int y = 0; y < image.height(); y++) {
            int target = CHANNELS * ((top + y) * canvas.width() + left);
            System.arraycopy(image.rgb(), y * row, rgb, target, row);
        }
        return new RgbImage(canvas.width(), canvas.height(), rgb);
    }

    /** Resamples with {@link BicubicAxis}, first along the rows. */
    static RgbImage resample(RgbImage image, int width, int height) {
        return resampleHeight(resampleWidth(image, width), height);
    }

    private static RgbImage resampleWidth(RgbImage image, int width) {
        if (image.width() == width) {
            return image;
        }
        BicubicAxis axis = new BicubicAxis(image.width(), width);
        byte[] rgb = new byte[CHANNELS * width * image.height()];
        int at = 0;
        for (int y = 0; y < image.height(); y++) {
            int row = CHANNELS * y * image.width();
            for (int x = 0; x < width; x++) {
                for (int channel = 0; channel < CHANNELS; channel++) {
                    rgb[at++] = axis.at(x, image.rgb(), row + channel, CHANNELS);
                }
            }
        }
        return new RgbImage(width, image.height(), rgb);
    }

    private static RgbImage resampleHeight(RgbImage image, int height) {
        if (image.height() == height) {
            return image;
        }
        BicubicAxis axis = new BicubicAxis(image.height(), height);
        int row = CHANNELS * image.width();
        byte[] rgb = new byte[row * height];
        int at = 0;
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < row; x++) {
                rgb[at++] = axis.at(y, image.rgb(), x, row);
            }
        }
        return new RgbImage(image.width(), height, rgb);
    }
}
