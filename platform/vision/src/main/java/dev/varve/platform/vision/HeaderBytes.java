package dev.varve.platform.vision;

/** Numbers in the header of an image file; a read behind the end is an invalid image. */
record HeaderBytes(ImageFormat format, byte[] bytes) {
    int unsigned(int at) {
        if (at < 0 || at >= bytes.length) {
            throw new InvalidImageException(
                    "the "
                            + format.mediaType()
                            + " file ends in its header, after "
                            + bytes.length
                            + " bytes");
        }
        return bytes[at] & 0xff;
    }

    int big16(int at) {
        return unsigned(at) << 8 | unsigned(at + 1);
    }

    int little16(int at) {
        return unsigned(at) | unsigned(at + 1) << 8;
    }

    /** A 32-bit number, which may be negative. */
    int big32(int at) {
        return big16(at) << 16 | big16(at + 2);
    }

    /** A 32-bit number, which may be negative. */
    int little32(int at) {
        return little16(at) | little16(at + 2) << 16;
    }
}
