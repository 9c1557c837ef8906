package dev.varve.platform.digest;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256, which every Java platform provides. */
public final class Sha256 {
    /** Number of hexadecimal digits of a digest. */
    public static final int DIGITS = 64;

    private Sha256() {}

    /** Returns a digest of nothing so far. */
    public static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** Returns the digest of a text in UTF-8. */
    public static byte[] of(String text) {
        return begin().digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the digest of a text in UTF-8, in hexadecimal digits. */
    public static String hex(String text) {
        return HexFormat.of().formatHex(of(text));
    }

    /** Returns the first bytes of the digest of a text in UTF-8, in hexadecimal digits. */
    public static String hex(String text, int bytes) {
        return HexFormat.of().formatHex(of(text), 0, bytes);
    }
}
