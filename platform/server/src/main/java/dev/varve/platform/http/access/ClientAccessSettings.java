package dev.varve.platform.http.access;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Set;

/**
 * Rules for access to the server.
 *
 * @param apiKeys keys of which every request must send one; empty: no key needed
 * @param withoutKey addresses on which a server without keys may listen
 * @param corsAndHosts cross-origin rules for web pages
 * @param cache rules for sharing, listing and clearing cached prefixes
 * @param openMetrics whether metrics need no key
 */
public record ClientAccessSettings(
        Set<String> apiKeys,
        KeylessListening withoutKey,
        CorsAndHostOptions corsAndHosts,
        CacheAccessSettings cache,
        boolean openMetrics) {
    /** Addresses on which a server without keys may listen. */
    public enum KeylessListening {
        /** Only on addresses that only programs on this machine can reach. */
        LOOPBACK_ONLY,
        /** On any address, by explicit choice of the operator. */
        ANYWHERE
    }

    /** No key, programs on this machine, no pages but the server's own. */
    public static final ClientAccessSettings LOCAL =
            new ClientAccessSettings(
                    Set.of(), KeylessListening.LOOPBACK_ONLY, CorsAndHostOptions.NONE);

    /** Copies the keys, and refuses an empty one. */
    public ClientAccessSettings {
        apiKeys = Set.copyOf(apiKeys);
        Objects.requireNonNull(withoutKey);
        Objects.requireNonNull(corsAndHosts);
        Objects.requireNonNull(cache);
        if (apiKeys.stream().anyMatch(String::isBlank)) {
            throw invalid(Setting.API_KEY + ": expected a key, found an empty one");
        }
    }

    /** Makes rules with a scope for each key, no operator's key, and a key for metrics. */
    public ClientAccessSettings(
            Set<String> apiKeys, KeylessListening withoutKey, CorsAndHostOptions corsAndHosts) {
        this(apiKeys, withoutKey, corsAndHosts, CacheAccessSettings.USUAL, false);
    }

    /** Returns whether requests must send a key. */
    public boolean needsKey() {
        return !apiKeys.isEmpty();
    }

    /** Refuses an address that other machines can reach if no key is required. */
    public void requireFor(ListenAddress address) {
        if (!needsKey() && withoutKey == KeylessListening.LOOPBACK_ONLY && !address.isLoopback()) {
            throw invalid(
                    Setting.HOST
                            + " "
                            + address.host()
                            + " is reachable from other machines: set an API key ("
                            + Setting.API_KEY
                            + ", "
                            + Setting.API_KEY_FILE
                            + " or VARVE_API_KEY), listen on 127.0.0.1, or set "
                            + Setting.INSECURE
                            + " to accept requests without a key");
        }
    }

    /** Returns a copy with other cross-origin options. */
    public ClientAccessSettings withPages(CorsAndHostOptions other) {
        return new ClientAccessSettings(apiKeys, withoutKey, other, cache, openMetrics);
    }

    /** Returns a copy with other rules for the prefix cache. */
    public ClientAccessSettings withCache(CacheAccessSettings other) {
        return new ClientAccessSettings(apiKeys, withoutKey, corsAndHosts, other, openMetrics);
    }

    /** Returns a copy by which metrics need no key. */
    public ClientAccessSettings withOpenMetrics() {
        return new ClientAccessSettings(apiKeys, withoutKey, corsAndHosts, cache, true);
    }

    private static VarveException invalid(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }
}
