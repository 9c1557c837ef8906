package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;

import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;

/**
 * Tokens of a prefix that host memory can restore.
 *
 * @param scope scope of the tokens
 * @param tokens ids of all tokens of the prefix
 * @param idle time since its last use or its creation
 */
public record RecentPrefix(CacheScope scope, int[] tokens, Duration idle) {
    /** Copies the tokens. */
    public RecentPrefix {
        Objects.requireNonNull(scope);
        Objects.requireNonNull(idle);
        tokens = tokens.clone();
    }

    @Override
    public int[] tokens() {
        return tokens.clone();
    }

    /** Returns whether these are the first tokens of another prefix. */
    boolean begins(RecentPrefix other) {
        return scope.equals(other.scope)
                && tokens.length <= other.tokens.length
                && Arrays.equals(tokens, 0, tokens.length, other.tokens, 0, tokens.length);
    }
}
