package dev.varve.platform.compression;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Under what the shorter text of a message is kept: SHA-256, whole, over the fingerprint's digits
 * in ASCII, the number of tokens as 4 bytes, the lowest first, and the tokens, likewise. A message
 * without tokens has the key of zeros alone.
 *
 * @param hex 64 hexadecimal digits
 */
public record MessageKey(String hex) {
    private static final MessageKey EMPTY = new MessageKey("0".repeat(64));

    /** The key of a message's text, in the drafter's tokens. */
    public static MessageKey of(CompressionFingerprint fingerprint, int[] ids) {
        if (ids.length == 0) {
            return EMPTY;
        }
        ByteBuffer bytes =
                ByteBuffer.allocate(Math.multiplyExact(ids.length + 1, Integer.BYTES))
                        .order(ByteOrder.LITTLE_ENDIAN);
        bytes.asIntBuffer().put(ids.length).put(ids);
        var digest = CompressionFingerprint.sha256();
        digest.update(fingerprint.hex().getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
        return new MessageKey(HexFormat.of().formatHex(digest.digest()));
    }

    /** Likewise of a text that is no message alone, by its characters. */
    public static MessageKey of(CompressionFingerprint fingerprint, String text) {
        var digest = CompressionFingerprint.sha256();
        digest.update(fingerprint.hex().getBytes(StandardCharsets.US_ASCII));
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        return new MessageKey(HexFormat.of().formatHex(digest.digest()));
    }
}
