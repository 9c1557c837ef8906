package dev.varve.platform.compression;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Stands for everything but the text that decides what becomes of a text: two compressions with one
 * fingerprint cut alike. What was computed or kept under another one must not be used.
 *
 * @param hex SHA-256 in hexadecimal digits
 */
public record CompressionFingerprint(String hex) {
    /** Counts up with every change of the selection's code that may change a choice. */
    private static final int VERSION = 1;

    /**
     * Of facts, such as the digest of the drafter's file, the curve and the settings of the
     * selection, whose records show all that they hold as text.
     */
    public static CompressionFingerprint of(List<?> facts) {
        MessageDigest digest = sha256();
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, VERSION));
        for (Object fact : facts) {
            byte[] text = fact.toString().getBytes(StandardCharsets.UTF_8);
            // With its length: facts must not run into one another.
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, text.length));
            digest.update(text);
        }
        return new CompressionFingerprint(HexFormat.of().formatHex(digest.digest()));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
