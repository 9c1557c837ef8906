package dev.varve.platform.http;

import java.util.Set;

/**
 * Which web pages may call the server.
 *
 * @param corsOrigins origins whose pages may call and read answers; {@code *} for all
 * @param allowedHosts names by which clients may address a server without a key, besides loopback's
 *     and its own; {@code *} for all
 */
public record PageAccess(Set<String> corsOrigins, Set<String> allowedHosts) {
    /** Only pages that the server itself sends, under a name of loopback. */
    public static final PageAccess NONE = new PageAccess(Set.of(), Set.of());

    public PageAccess {
        corsOrigins = Set.copyOf(corsOrigins);
        allowedHosts = Set.copyOf(allowedHosts);
    }

    boolean allowsOrigin(String origin) {
        return corsOrigins.contains("*") || corsOrigins.contains(origin);
    }
}
