package dev.varve.platform.http.access;

import dev.varve.platform.digest.Sha256;
import dev.varve.platform.sequence.CacheScope;

/**
 * The caller of a request, identified by its key.
 *
 * @param scope cache scope: the same for all requests with one key, in this and in later processes;
 *     the common scope if no key is needed or all callers share cached prefixes
 * @param owner owner of its streams: one for each key, whatever callers share, and does not reveal
 *     the key; empty if no key is needed
 * @param isOperator whether the caller is the operator
 */
public record Caller(CacheScope scope, String owner, boolean isOperator) {
    static final Caller ANONYMOUS = new Caller(CacheScope.common(), "", false);

    private static final int SCOPE_BYTES = 16;

    static Caller withKey(String key) {
        String owner = Sha256.hex("varve caller " + key, SCOPE_BYTES);
        return new Caller(new CacheScope(owner), owner, false);
    }

    /**
     * Returns whether the caller may see cache figures of a scope: the operator and callers of that
     * scope may.
     */
    public boolean maySeeFigures(CacheScope other) {
        return isOperator || scope.name().equals(other.name());
    }

    /** Returns whether the caller may see cache figures of all requests. */
    public boolean maySeeTotals() {
        return maySeeFigures(CacheScope.common());
    }

    /** Returns a copy as the operator. */
    Caller asOperator() {
        return new Caller(scope, owner, true);
    }

    /** Returns a copy with the common cache scope. */
    Caller inCommonScope() {
        return new Caller(CacheScope.common(), owner, isOperator);
    }
}
