package dev.varve.platform.http.answer;

import dev.varve.platform.sequence.CacheScope;

import java.util.Objects;
import java.util.Optional;

/**
 * What a request asks of computed prompts: fewer than its caller may have, never others.
 *
 * @param uses whether it goes on with any, and leaves its own for others
 * @param part name of the part of the caller's scope to which it keeps; empty for the whole
 */
public record CacheOptions(boolean uses, Optional<String> part) {
    /** All that the caller may have. */
    public static final CacheOptions ALL = new CacheOptions(true, Optional.empty());

    /** In front of the name of a part, so that no client can make up the name of another scope. */
    private static final String ASKED = "cache_scope=";

    private static final String COMPRESSED = "\ncompression=";

    /** Checks that nothing is missing. */
    public CacheOptions {
        Objects.requireNonNull(part);
    }

    /**
     * The same for a prompt that became shorter: what is computed for it may be used where prompts
     * become shorter in the same way.
     *
     * @param fingerprint how it became shorter
     */
    public CacheOptions ofCompressed(String fingerprint) {
        return new CacheOptions(uses, Optional.of(part.orElse("") + COMPRESSED + fingerprint));
    }

    /** The scope of the request within that of its caller. */
    CacheScope within(CacheScope caller) {
        return uses
                ? part.map(name -> caller.part(ASKED + name)).orElse(caller)
                : CacheScope.none();
    }
}
