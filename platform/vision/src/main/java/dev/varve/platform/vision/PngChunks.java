package dev.varve.platform.vision;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The chunks of a PNG file (PNG specification, section 5.3): a length, a type, data, and a checksum
 * of type and data.
 */
final class PngChunks {
    private static final int SIGNATURE_BYTES = 8;
    private static final int LENGTH_BYTES = 4;
    private static final int TYPE_BYTES = 4;
    private static final int CHECKSUM_BYTES = 4;
    private static final int FRAME_BYTES = LENGTH_BYTES + TYPE_BYTES + CHECKSUM_BYTES;

    /** {@code IEND}, the type of the last chunk. */
    private static final int END = 0x49454e44;

    /** Set in the types of chunks that an image does not need. */
    private static final int ANCILLARY = 0x20000000;

    private PngChunks() {}

    /**
     * Checks that a file has all chunks up to the last one, and the checksums of those that the
     * image needs. Its reader in the JDK does neither: a wrong height would hide a part of the
     * image.
     *
     * @throws InvalidImageException if it was cut or changed
     */
    static void require(byte[] file) {
        ByteBuffer in = ByteBuffer.wrap(file);
        int at = SIGNATURE_BYTES;
        int type = 0;
        while (type != END) {
            int length = at <= file.length - FRAME_BYTES ? in.getInt(at) : -1;
            if (length < 0 || length > file.length - FRAME_BYTES - at) {
                throw new InvalidImageException("the image/png file is cut");
            }
            type = in.getInt(at + LENGTH_BYTES);
            requireChecksum(in, at, type, length);
            at += FRAME_BYTES + length;
        }
    }

    private static void requireChecksum(ByteBuffer in, int at, int type, int length) {
        int checked = TYPE_BYTES + length;
        CRC32 computed = new CRC32();
        computed.update(in.slice(at + LENGTH_BYTES, checked));
        boolean isEqual = (int) computed.getValue() == in.getInt(at + LENGTH_BYTES + checked);
        if ((type & ANCILLARY) == 0 && !isEqual) {
            throw new InvalidImageException("the image/png file has a wrong checksum");
        }
    }
}
