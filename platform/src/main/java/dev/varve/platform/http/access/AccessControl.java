package dev.varve.platform.http.access;

import dev.varve.platform.http.json.ApiException;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/** API keys and cross-origin rules. */
public final class AccessControl {
    private static final String BEARER = "Bearer ";

    private final ClientAccess access;
    private final PageRules pages;

    /** Rules for a server that listens at an address. */
    public AccessControl(ListenAddress address, ClientAccess access) {
        this.access = access;
        pages = new PageRules(address, access.pages());
    }

    /**
     * Says whose request it is. Throws 401 unless the route is open or the request brings a key,
     * and 403 where no key is needed and the request comes from a page of somebody else. What only
     * reads an open route may name the server as it likes.
     */
    public Caller admit(Request request, Purpose purpose) {
        boolean open = purpose.isOpen();
        if (!access.needsKey()) {
            if (open && Set.of("GET", "HEAD").contains(request.getMethod())) {
                pages.checkPage(request.getHeaders());
            } else {
                pages.check(request.getHttpURI(), request.getHeaders());
            }
            return Caller.ANYBODY;
        }
        return open || request.getMethod().equals("OPTIONS")
                ? Caller.ANYBODY
                : requireKey(request.getHeaders());
    }

    private Caller requireKey(HttpFields headers) {
        String authorization = Optional.ofNullable(headers.get("Authorization")).orElse("");
        String given =
                authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                        ? authorization.substring(BEARER.length()).strip()
                        : Optional.ofNullable(headers.get("x-api-key")).orElse("");
        boolean known = false;
        for (String key : access.apiKeys()) {
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
        return Caller.withKey(given);
    }

    /** Adds the headers that let pages of allowed origins read the answer. */
    public void allowOrigin(HttpServletRequest request, HttpServletResponse response) {
        String origin = request.getHeader("Origin");
        if (origin == null || !access.pages().allowsOrigin(origin)) {
            return;
        }
        response.setHeader(
                "Access-Control-Allow-Origin",
                access.pages().corsOrigins().contains("*") ? "*" : origin);
        response.setHeader("Access-Control-Allow-Methods", "GET, POST, OPTIONS");
        response.setHeader(
                "Access-Control-Allow-Headers",
                "Authorization, Content-Type, X-Api-Key, X-Request-Id");
        response.addHeader("Vary", "Origin");
    }
}
