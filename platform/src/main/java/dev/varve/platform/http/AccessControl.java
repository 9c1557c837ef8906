package dev.varve.platform.http;

import dev.varve.platform.engine.CacheScope;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/** API keys and cross-origin rules. */
final class AccessControl {
    private static final Set<String> OPEN_ROUTES = Set.of("/health", "/livez");
    private static final String BEARER = "Bearer ";

    private final HttpOptions options;

    AccessControl(HttpOptions options) {
        this.options = options;
    }

    /**
     * Throws 401 unless the route is open or the request brings a key. Returns the scope of the
     * key: who has another one must not learn what was asked with this one.
     */
    CacheScope requireKey(HttpServletRequest request) {
        if (options.apiKeys().isEmpty() || OPEN_ROUTES.contains(request.getRequestURI())) {
            return CacheScope.common();
        }
        String authorization = Optional.ofNullable(request.getHeader("Authorization")).orElse("");
        String given =
                authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                        ? authorization.substring(BEARER.length()).strip()
                        : Optional.ofNullable(request.getHeader("x-api-key")).orElse("");
        boolean known = false;
        for (String key : options.apiKeys()) {
            // All keys are compared, each in constant time, so that the time tells nothing.
            known |=
                    MessageDigest.isEqual(
                            key.getBytes(StandardCharsets.UTF_8),
                            given.getBytes(StandardCharsets.UTF_8));
        }
        if (!known) {
            throw ApiException.status(
                    401,
                    "invalid_api_key",
                    given.isEmpty()
                            ? "an API key is needed: Authorization: Bearer KEY"
                            : "the API key is not known");
        }
        return new CacheScope(given);
    }

    /** Adds the headers that let pages of allowed origins read the answer. */
    void allowOrigin(HttpServletRequest request, HttpServletResponse response) {
        String origin = request.getHeader("Origin");
        if (origin == null
                || !(options.corsOrigins().contains("*")
                        || options.corsOrigins().contains(origin))) {
            return;
        }
        response.setHeader(
                "Access-Control-Allow-Origin", options.corsOrigins().contains("*") ? "*" : origin);
        response.setHeader("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
        response.setHeader(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, X-Api-Key, X-Request-Id");
        response.addHeader("Vary", "Origin");
    }
}
