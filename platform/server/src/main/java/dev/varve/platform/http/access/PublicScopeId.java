package dev.varve.platform.http.access;

import dev.varve.platform.digest.Sha256;
import dev.varve.platform.sequence.CacheScope;

/**
 * Identifies scopes without their names, which come from clients or are derived from their keys.
 */
public final class PublicScopeId {
    private static final int DIGEST_BYTES = 6;

    private PublicScopeId() {}

    /** Returns a short text that is the same for equal scopes. */
    public static String of(CacheScope scope) {
        return Sha256.hex("varve scope " + scope.identity(), DIGEST_BYTES);
    }
}
