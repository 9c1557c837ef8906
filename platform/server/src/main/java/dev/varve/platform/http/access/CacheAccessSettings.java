package dev.varve.platform.http.access;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Optional;

/**
 * Rules for sharing, listing and clearing cached prefixes.
 *
 * @param scopes which callers share cached prefixes
 * @param operatorKey the operator's key; if empty, the operator is the holder of the only API key,
 *     or, if no key is needed, a caller on this machine
 */
public record CacheAccessSettings(CacheSharingPolicy scopes, Optional<String> operatorKey) {
    /** A scope for each key, and no operator's key. */
    public static final CacheAccessSettings USUAL =
            new CacheAccessSettings(CacheSharingPolicy.KEY, Optional.empty());

    /** Refuses an empty key. */
    public CacheAccessSettings {
        Objects.requireNonNull(scopes);
        if (operatorKey.filter(String::isBlank).isPresent()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.OPERATOR_KEY + ": expected a key, found an empty one");
        }
    }
}
