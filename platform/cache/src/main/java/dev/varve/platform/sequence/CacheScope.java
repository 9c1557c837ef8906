package dev.varve.platform.sequence;

import java.util.Objects;

/**
 * Scope of reuse: a request continues finished sequences of its own scope only, because response
 * times and cached token counts would reveal prompts of other clients.
 *
 * @param name any text that identifies the scope; never a secret key itself
 */
public record CacheScope(String name) {
    private static final CacheScope COMMON = new CacheScope("");

    private static final CacheScope NONE = new CacheScope("\0");

    /** Checks that there is a name. */
    public CacheScope {
        Objects.requireNonNull(name);
    }

    /** The scope of a request that reuses nothing and leaves nothing in the cache. */
    public static CacheScope none() {
        return NONE;
    }

    /** Whether computed sequences of this scope may be reused. */
    public boolean isCached() {
        return !equals(NONE);
    }

    /**
     * Returns a part of this scope, shared by all requests that name the same part.
     *
     * @param part any text
     */
    public CacheScope part(String part) {
        return isCached() ? new CacheScope(name + '\1' + part) : this;
    }

    /** The scope of all clients that cannot be distinguished. */
    public static CacheScope common() {
        return COMMON;
    }
}
