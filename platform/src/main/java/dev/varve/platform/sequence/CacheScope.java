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

    /** Checks that there is a name. */
    public CacheScope {
        Objects.requireNonNull(name);
    }

    /** The scope of all who cannot be told apart. */
    public static CacheScope common() {
        return COMMON;
    }
}
