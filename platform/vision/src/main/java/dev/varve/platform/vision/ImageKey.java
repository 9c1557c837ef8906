package dev.varve.platform.vision;

import dev.varve.platform.digest.Sha256;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Identity of what an encoder computes from an image: a SHA-256 over the encoder and the canvas.
 * Files that give the same canvas share it.
 */
public final class ImageKey {
    private static final String LABEL = "varve image 1";

    private final byte[] digest;

    private ImageKey(byte[] digest) {
        this.digest = digest;
    }

    /**
     * Returns the key of a canvas.
     *
     * @param encoder identity of the encoder: any bytes that change with its weights
     */
    public static ImageKey of(byte[] encoder, RgbImage canvas) {
        MessageDigest sha = Sha256.begin();
        sha.update(Sha256.of(LABEL));
        sha.update(number(encoder.length));
        sha.update(encoder);
        sha.update(number(canvas.width()));
        sha.update(number(canvas.height()));
        return new ImageKey(sha.digest(canvas.rgb()));
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
    }

    /**
     * Returns the ids that stand for the image's tokens in a prompt: negative, so that no
     * vocabulary has them, and derived from the key, so that caches which compare ids tell images
     * apart.
     */
    public int[] tokens(int count) {
        int[] tokens = new int[count];
        for (int i = 0; i < count; i++) {
            MessageDigest sha = Sha256.begin();
            sha.update(digest);
            byte[] own = sha.digest(number(i));
            tokens[i] = Integer.MIN_VALUE | ByteBuffer.wrap(own).getInt();
        }
        return tokens;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ImageKey key && Arrays.equals(digest, key.digest);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(digest);
    }

    /** The digest in hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().formatHex(digest);
    }
}
