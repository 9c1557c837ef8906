package dev.varve.platform.compression;

import dev.varve.platform.digest.Sha256;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

/**
 * Digest of everything except the text that determines the result of a compression: two
 * compressions with the same fingerprint select the same tokens. Results with another fingerprint
 * must not be reused.
 *
 * @param hex SHA-256 in hexadecimal digits
 */
public record CompressionFingerprint(String hex) {
    /** Version of the selection code; increased with every change that may change a selection. */
    private static final int VERSION = 1;

    /**
     * Computes the fingerprint of facts, such as the digest of the drafter's file, the curve and
     * the settings of the selection. The string form of their records contains all their values.
     */
    public static CompressionFingerprint of(List<?> facts) {
        MessageDigest digest = Sha256.begin();
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, VERSION));
        for (Object fact : facts) {
            byte[] text = fact.toString().getBytes(StandardCharsets.UTF_8);
            // Includes the length, so that two lists of facts with the same concatenation differ.
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, text.length));
            digest.update(text);
        }
        return new CompressionFingerprint(HexFormat.of().formatHex(digest.digest()));
    }
}
