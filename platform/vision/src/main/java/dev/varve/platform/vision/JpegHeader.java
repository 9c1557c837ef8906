package dev.varve.platform.vision;

/** Reads size and orientation from the segments of a JPEG file, up to the first frame header. */
final class JpegHeader {
    private static final int END_OF_IMAGE = 0xd9;
    private static final int START_OF_SCAN = 0xda;
    private static final int APP1 = 0xe1;
    private static final int CMYK_COMPONENTS = 4;

    private final HeaderBytes bytes;
    private Orientation orientation = Orientation.UPRIGHT;

    private JpegHeader(HeaderBytes bytes) {
        this.bytes = bytes;
    }

    static ImageHeader read(HeaderBytes bytes) {
        return new JpegHeader(bytes).read();
    }

    private ImageHeader read() {
        int at = 2;
        while (true) {
            while (bytes.unsigned(at) != 0xff) {
                at++;
            }
            int marker = bytes.unsigned(at + 1);
            if (marker == 0xff) {
                at++;
            } else if (marker == 0 || marker == 1 || marker >= 0xd0 && marker < END_OF_IMAGE) {
                at += 2;
            } else if (marker == END_OF_IMAGE || marker == START_OF_SCAN) {
                throw new InvalidImageException("the JPEG file has no frame header");
            } else if (isFrame(marker)) {
                return frame(at + 4);
            } else {
                if (marker == APP1) {
                    readExif(at + 4, bytes.big16(at + 2) - 2);
                }
                at += 2 + Math.max(2, bytes.big16(at + 2));
            }
        }
    }

    /** All start-of-frame markers; the three others in their range define tables. */
    private static boolean isFrame(int marker) {
        return marker >= 0xc0
                && marker <= 0xcf
                && marker != 0xc4
                && marker != 0xc8
                && marker != 0xcc;
    }

    private ImageHeader frame(int at) {
        if (bytes.unsigned(at + 5) == CMYK_COMPONENTS) {
            throw new InvalidImageException(
                    "JPEG with 4 colour components (CMYK) is not supported; send RGB");
        }
        int height = bytes.big16(at + 1);
        int width = bytes.big16(at + 3);
        return ImageHeader.of(ImageFormat.JPEG, width, height, orientation);
    }

    /** Reads the orientation; a malformed segment is ignored, as decoders do. */
    private void readExif(int at, int length) {
        if (length < 14 || at + length > bytes.bytes().length || bytes.big32(at) != 0x45786966) {
            return;
        }
        int tiff = at + 6;
        boolean little = bytes.big16(tiff) == 0x4949;
        long directory = tiff + Integer.toUnsignedLong(number32(tiff + 4, little));
        int end = at + length;
        if (directory + 2 > end) {
            return;
        }
        int first = (int) directory;
        int entries = number16(first, little);
        for (int entry = first + 2; entries > 0 && entry + 12 <= end; entry += 12, entries--) {
            if (number16(entry, little) == Orientation.TAG) {
                orientation = Orientation.of(number16(entry + 8, little));
                return;
            }
        }
    }

    private int number16(int at, boolean little) {
        return little ? bytes.little16(at) : bytes.big16(at);
    }

    private int number32(int at, boolean little) {
        return little ? bytes.little32(at) : bytes.big32(at);
    }
}
