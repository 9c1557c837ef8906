package dev.varve.platform.vision;

/** Finds the end mark of a JPEG file behind its scans, which a cut file lacks. */
final class JpegEnd {
    private static final int END_OF_IMAGE = 0xd9;
    private static final int LAST_RESTART = 0xd7;
    private static final int FIRST_RESTART = 0xd0;

    private JpegEnd() {}

    /**
     * Walks over the segments and scans of a file. Its reader in the JDK replaces the rest of a cut
     * file by grey.
     *
     * @throws InvalidImageException if it ends before its end mark
     */
    static void require(byte[] file) {
        int at = 2;
        while (at + 1 < file.length) {
            if (file[at] != (byte) 0xff) {
                at++;
                continue;
            }
            int marker = file[at + 1] & 0xff;
            if (marker == END_OF_IMAGE) {
                return;
            }
            at += hasLength(marker) ? 2 + length(file, at + 2) : marker == 0xff ? 1 : 2;
        }
        throw new InvalidImageException("the image/jpeg file is cut");
    }

    /** Other marks are a byte of a scan, the start of a part of it, or fill bytes. */
    private static boolean hasLength(int marker) {
        return marker > 1
                && marker != 0xff
                && (marker < FIRST_RESTART || marker > LAST_RESTART)
                && marker != 0xd8;
    }

    private static int length(byte[] file, int at) {
        return at + 1 < file.length ? (file[at] & 0xff) << 8 | file[at + 1] & 0xff : file.length;
    }
}
