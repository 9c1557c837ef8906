package dev.varve.platform.http.access;

import dev.varve.platform.http.json.ApiException;

import org.eclipse.jetty.http.HttpFields;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/**
 * The key that a request sends.
 *
 * @param text the key; empty for none
 */
record GivenKey(String text) {
    private static final String BEARER = "Bearer ";

    static GivenKey of(HttpFields headers) {
        String authorization = Optional.ofNullable(headers.get("Authorization")).orElse("");
        return new GivenKey(
                authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
                        ? authorization.substring(BEARER.length()).strip()
                        : Optional.ofNullable(headers.get("x-api-key")).orElse(""));
    }

    boolean isOneOf(Set<String> keys) {
        boolean known = false;
        for (String key : keys) {
            // Compares all keys, each in constant time, so that the time reveals nothing.
            known |=
                    MessageDigest.isEqual(
                            key.getBytes(StandardCharsets.UTF_8),
                            text.getBytes(StandardCharsets.UTF_8));
        }
        return known;
    }

    /**
     * Throws 401 unless the key is one of {@code keys}.
     *
     * @param which name of the keys in the message, such as {@code an API key}
     */
    void requireOneOf(Set<String> keys, String which) {
        if (!isOneOf(keys)) {
            throw ApiException.status(
                    401,
                    "invalid_api_key",
                    text.isEmpty()
                            ? which + " is required: send Authorization: Bearer KEY"
                            : "the API key is not known");
        }
    }

    /** Keeps the key out of logs. */
    @Override
    public String toString() {
        return text.isEmpty() ? "no key" : "a key";
    }
}
