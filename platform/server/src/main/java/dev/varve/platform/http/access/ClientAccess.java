package dev.varve.platform.http.access;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.util.Objects;
import java.util.Set;

/**
 * Who may call the server.
 *
 * @param apiKeys keys of which every request must bring one; empty: no key needed
 * @param withoutKey where a server that needs no key may listen
 * @param pages which web pages may call
 * @param cache who shares computed prompts, and who may look at them
 * @param openMetrics whether metrics are told without a key
 */
public record ClientAccess(
        Set<String> apiKeys,
        WithoutKey withoutKey,
        CrossOriginOptions pages,
        CacheAccess cache,
        boolean openMetrics) {
    /** Where a server may listen that lets everybody in. */
    public enum WithoutKey {
        /** Only where programs of this machine reach it. */
        LOOPBACK_ONLY,
        /** On any address: whoever starts it says that this is meant. */
        ANYWHERE
    }

    /** No key, programs of this machine, no pages but the server's own. */
    public static final ClientAccess LOCAL =
            new ClientAccess(Set.of(), WithoutKey.LOOPBACK_ONLY, CrossOriginOptions.NONE);

    /** Copies the keys, and refuses an empty one. */
    public ClientAccess {
        apiKeys = Set.copyOf(apiKeys);
        Objects.requireNonNull(withoutKey);
        Objects.requireNonNull(pages);
        Objects.requireNonNull(cache);
        if (apiKeys.stream().anyMatch(String::isBlank)) {
            throw invalid(Setting.API_KEY + ": expected a key, found an empty one");
        }
    }

    /** A scope for each key, no key for the operator, and metrics for who has a key. */
    public ClientAccess(Set<String> apiKeys, WithoutKey withoutKey, CrossOriginOptions pages) {
        this(apiKeys, withoutKey, pages, CacheAccess.USUAL, false);
    }

    /** Whether requests must bring a key. */
    public boolean needsKey() {
        return !apiKeys.isEmpty();
    }

    /** Refuses an address that others reach while nobody needs a key. */
    public void requireFor(ListenAddress address) {
        if (!needsKey() && withoutKey == WithoutKey.LOOPBACK_ONLY && !address.isLoopback()) {
            throw invalid(
                    Setting.HOST
                            + " "
                            + address.host()
                            + " is reachable from other machines: give an API key ("
                            + Setting.API_KEY
                            + ", "
                            + Setting.API_KEY_FILE
                            + " or VARVE_API_KEY), or listen on 127.0.0.1, or say "
                            + Setting.INSECURE
                            + " to let everybody in");
        }
    }

    /** The same with other pages. */
    public ClientAccess withPages(CrossOriginOptions other) {
        return new ClientAccess(apiKeys, withoutKey, other, cache, openMetrics);
    }

    /** The same with other rules for computed prompts. */
    public ClientAccess withCache(CacheAccess other) {
        return new ClientAccess(apiKeys, withoutKey, pages, other, openMetrics);
    }

    /** The same, and metrics are told without a key. */
    public ClientAccess withOpenMetrics() {
        return new ClientAccess(apiKeys, withoutKey, pages, cache, true);
    }

    private static VarveException invalid(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }
}
