package dev.varve.platform.http.answer;

import dev.varve.platform.sequence.CacheScope;

import java.util.Objects;
import java.util.Optional;

/**
 * Prefix cache options of a request: they restrict the prefixes that its caller may use, and never
 * add any.
 *
 * @param isEnabled whether the request reads the prefix cache and stores its own prefixes there
 * @param scopePart name of the part of the caller's scope that the request uses; empty for the
 *     whole scope
 */
public record RequestCacheOptions(boolean isEnabled, Optional<String> scopePart) {
    /** The whole scope of the caller. */
    public static final RequestCacheOptions ALL = new RequestCacheOptions(true, Optional.empty());

    /** Prefix of the name of a part, so that no client can forge the name of another scope. */
    private static final String SCOPE_PREFIX = "cache_scope=";

    private static final String COMPRESSION_SUFFIX = "\ncompression=";

    /** Checks for null. */
    public RequestCacheOptions {
        Objects.requireNonNull(scopePart);
    }

    /**
     * Returns a copy for a compressed prompt: its prefixes are shared only with prompts that were
     * compressed in the same way.
     *
     * @param fingerprint identifies how the prompt was compressed
     */
    public RequestCacheOptions ofCompressed(String fingerprint) {
        return new RequestCacheOptions(
                isEnabled, Optional.of(scopePart.orElse("") + COMPRESSION_SUFFIX + fingerprint));
    }

    /** Returns the cache scope of the request within the scope of its caller. */
    CacheScope within(CacheScope caller) {
        return isEnabled
                ? scopePart.map(name -> caller.part(SCOPE_PREFIX + name)).orElse(caller)
                : CacheScope.none();
    }
}
