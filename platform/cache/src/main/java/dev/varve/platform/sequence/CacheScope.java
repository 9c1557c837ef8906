package dev.varve.platform.sequence;

import java.util.Objects;

/**
 * Who may profit from what was computed for whom: a request continues finished ones of its own
 * scope only, since times and counts of cached tokens would tell what others have asked.
 *
 * @param name any text that tells scopes apart; never a key itself
 */
public record CacheScope(String name) {
    private static final CacheScope COMMON = new CacheScope("");

    private static final CacheScope NONE = new CacheScope("\0");

    /** Checks that there is a name. */
    public CacheScope {
        Objects.requireNonNull(name);
    }

    /** The scope of a request that continues nothing and leaves nothing behind. */
    public static CacheScope none() {
        return NONE;
    }

    /** Whether what is computed in it may be continued. */
    public boolean keeps() {
        return !equals(NONE);
    }

    /**
     * A part of this scope, of those who give it the same name.
     *
     * @param part any text
     */
    public CacheScope part(String part) {
        return keeps() ? new CacheScope(name + '\1' + part) : this;
    }

    /** The scope of all who cannot be told apart. */
    public static CacheScope common() {
        return COMMON;
    }
}
