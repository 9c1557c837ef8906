package dev.varve.platform.compression;

import dev.varve.platform.digest.Sha256;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Key of a compressed message: the whole SHA-256 of the fingerprint's digits in ASCII, the number
 * of tokens as 4 little-endian bytes, and the tokens, likewise. The key of a message without tokens
 * is all zeros.
 *
 * @param hex 64 hexadecimal digits
 */
public record MessageKey(String hex) {
    private static final MessageKey EMPTY = new MessageKey("0".repeat(64));

    /** Computes the key of a message's text, in the drafter's tokens. */
    public static MessageKey of(CompressionFingerprint fingerprint, int[] ids) {
        if (ids.length == 0) {
            return EMPTY;
        }
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.multiplyExact(ids.length + 1, Integer.BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(ids.length).put(ids);
        var digest = Sha256.begin();
        digest.update(fingerprint.hex().getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
        return new MessageKey(HexFormat.of().formatHex(digest.digest()));
    }

    /** Computes the key of a text that is more than one message, from its characters. */
    public static MessageKey of(CompressionFingerprint fingerprint, String text) {
        var digest = Sha256.begin();
        digest.update(fingerprint.hex().getBytes(StandardCharsets.US_ASCII));
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        return new MessageKey(HexFormat.of().formatHex(digest.digest()));
    }
}
