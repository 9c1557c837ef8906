package dev.varve.platform.vision;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A format of image files, detected by its first bytes: media types of clients are often wrong. */
public enum ImageFormat {
    /** Portable Network Graphics. */
    PNG("image/png", 0, "\u0089PNG\r\n\u001a\n"),
    /** JPEG, baseline or progressive. */
    JPEG("image/jpeg", 0, "\u00ff\u00d8\u00ff"),
    /** Graphics Interchange Format; the first frame counts. */
    GIF("image/gif", 0, "GIF8"),
    /** Windows bitmap. */
    BMP("image/bmp", 0, "BM"),
    /** Recognised, but not decoded. */
    WEBP("image/webp", 8, "WEBP");

    private final String mediaType;
    private final int offset;
    private final byte[] magic;

    ImageFormat(String mediaType, int offset, String magic) {
        this.mediaType = mediaType;
        this.offset = offset;
        this.magic = magic.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** The media type, such as {@code image/png}. */
    public String mediaType() {
        return mediaType;
    }

    /**
     * Returns the format of a file.
     *
     * @throws InvalidImageException if it is none of a supported format
     */
    public static ImageFormat of(byte[] file) {
        for (ImageFormat format : values()) {
            if (format.begins(file)) {
                return format.requireSupported();
            }
        }
        throw new InvalidImageException("the data is not an image; send PNG, JPEG, GIF or BMP");
    }

    private ImageFormat requireSupported() {
        if (this == WEBP) {
            throw new InvalidImageException(mediaType + " is not supported; send PNG or JPEG");
        }
        return this;
    }

    private boolean begins(byte[] file) {
        int end = offset + magic.length;
        return file.length >= end && Arrays.equals(file, offset, end, magic, 0, magic.length);
    }
}
