package dev.varve.platform.http.access;

import dev.varve.platform.sequence.CacheScope;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Identifies scopes without their names, which come from clients or are derived from their keys.
 */
public final class ScopeDigest {
    private static final int DIGEST_BYTES = 6;

    private ScopeDigest() {}

    /** Returns a short text that is the same for equal scopes. */
    public static String of(CacheScope scope) {
        try {
            byte[] name = ("varve scope " + scope.name()).getBytes(StandardCharsets.UTF_8);
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name);
            return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
