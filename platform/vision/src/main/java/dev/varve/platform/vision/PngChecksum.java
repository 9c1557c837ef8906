package dev.varve.platform.vision;

import java.util.zip.CRC32;

/** Compares the checksum of a PNG header: a wrong height would hide a part of the image. */
final class PngChecksum {
    private static final int CHUNK = 12;
    private static final int CHECKSUM = 29;

    private PngChecksum() {}

    /**
     * Checks the header, which its reader in the JDK does not.
     *
     * @throws InvalidImageException if it was changed
     */
    static void require(byte[] file) {
        int checksum = new HeaderBytes(ImageFormat.PNG, file).big32(CHECKSUM);
        CRC32 computed = new CRC32();
        computed.update(file, CHUNK, CHECKSUM - CHUNK);
        if ((int) computed.getValue() != checksum) {
            throw new InvalidImageException("the image/png header has a wrong checksum");
        }
    }
}
