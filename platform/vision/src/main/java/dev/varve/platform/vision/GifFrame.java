package dev.varve.platform.vision;

/**
 * Place of the first frame of a GIF file on its screen, in pixels. The rest of the screen is black.
 */
record GifFrame(int left, int top, int width, int height) {
    private static final int SCREEN_FLAGS = 10;
    private static final int SCREEN_END = 13;
    private static final int EXTENSION = 0x21;
    private static final int IMAGE = 0x2c;

    /**
     * Reads the place from a file.
     *
     * @throws InvalidImageException if there is no frame, or if it exceeds the screen
     */
    static GifFrame read(byte[] file, ImageHeader screen) {
        HeaderBytes bytes = new HeaderBytes(ImageFormat.GIF, file);
        int flags = bytes.unsigned(SCREEN_FLAGS);
        int at = SCREEN_END + ((flags & 0x80) == 0 ? 0 : 3 << (flags & 7) + 1);
        while (bytes.unsigned(at) == EXTENSION) {
            at = afterBlocks(bytes, at + 2);
        }
        if (bytes.unsigned(at) != IMAGE) {
            throw new InvalidImageException("the GIF file has no frame");
        }
        GifFrame frame =
                new GifFrame(
                        bytes.little16(at + 1),
                        bytes.little16(at + 3),
                        bytes.little16(at + 5),
                        bytes.little16(at + 7));
        frame.requireWithin(screen);
        return frame;
    }

    private static int afterBlocks(HeaderBytes bytes, int first) {
        int at = first;
        while (bytes.unsigned(at) != 0) {
            at += 1 + bytes.unsigned(at);
        }
        return at + 1;
    }

    private void requireWithin(ImageHeader screen) {
        if (left + width > screen.width() || top + height > screen.height()) {
            throw new InvalidImageException(
                    "the first frame of the GIF file exceeds its screen of "
                            + screen.size()
                            + " pixels");
        }
    }

    /** Returns the screen with the decoded frame. */
    RgbImage place(RgbImage frame, ImageHeader screen) {
        byte[] rgb = new byte[3 * screen.width() * screen.height()];
        for (int y = 0; y < frame.height(); y++) {
            int target = 3 * ((top + y) * screen.width() + left);
            System.arraycopy(frame.rgb(), 3 * y * width, rgb, target, 3 * width);
        }
        return new RgbImage(screen.width(), screen.height(), rgb);
    }
}
