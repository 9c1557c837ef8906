package dev.varve.platform.content;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes SHA-256, which every Java platform provides. */
final class Sha256 {
    /** Number of hexadecimal digits of a digest. */
    static final int DIGITS = 64;

    private Sha256() {}

    static MessageDigest begin() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(begin().digest(bytes));
    }
}
