package dev.varve.platform.http.access;

import dev.varve.platform.sequence.CacheScope;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Whose request it is, as far as keys tell.
 *
 * @param scope whose computed prompts it goes on with: the same for all requests with one key, in
 *     this and in later processes; the common one where no key is needed or all share what is
 *     computed
 * @param owner whose streams it may read: one for each key, of which it tells nothing, whatever is
 *     shared; empty where no key is needed
 * @param isOperator whether he is known to run the server
 */
public record Caller(CacheScope scope, String owner, boolean isOperator) {
    static final Caller ANYBODY = new Caller(CacheScope.common(), "", false);

    private static final int SCOPE_BYTES = 16;

    static Caller withKey(String key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("varve caller ".getBytes(StandardCharsets.UTF_8));
            String owner =
                    HexFormat.of()
                            .formatHex(
                                    digest.digest(key.getBytes(StandardCharsets.UTF_8)),
                                    0,
                                    SCOPE_BYTES);
            return new Caller(new CacheScope(owner), owner, false);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /**
     * Whether figures may be shown that tell what requests of a scope left in the cache: to who
     * runs the server, and to callers of that scope.
     */
    public boolean seesFigures(CacheScope other) {
        return isOperator || scope.equals(other);
    }

    /** Whether figures may be shown that tell what all requests left in the cache. */
    public boolean seesTotals() {
        return seesFigures(CacheScope.common());
    }

    /** The same as who runs the server. */
    Caller operating() {
        return new Caller(scope, owner, true);
    }

    /** The same, going on with what was computed for anybody. */
    Caller sharing() {
        return new Caller(CacheScope.common(), owner, isOperator);
    }
}
