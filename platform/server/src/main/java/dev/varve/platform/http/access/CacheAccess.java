package dev.varve.platform.http.access;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Optional;

/**
 * Who goes on with whose computed prompts, and who may look at them and throw them away.
 *
 * @param scopes whose prompts a caller goes on with
 * @param operatorKey key of who runs the server; without it the only API key counts, or, where no
 *     key is needed, that somebody asks from this machine
 */
public record CacheAccess(CacheSharingPolicy scopes, Optional<String> operatorKey) {
    /** A scope for each key, and no key for the operator. */
    public static final CacheAccess USUAL =
            new CacheAccess(CacheSharingPolicy.KEY, Optional.empty());

    /** Refuses an empty key. */
    public CacheAccess {
        Objects.requireNonNull(scopes);
        if (operatorKey.filter(String::isBlank).isPresent()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.OPERATOR_KEY + ": expected a key, found an empty one");
        }
    }
}
