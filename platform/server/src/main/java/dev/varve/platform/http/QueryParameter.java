package dev.varve.platform.http;

import jakarta.servlet.http.HttpServletRequest;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Reads a parameter of a request's query. */
final class QueryParameter {
    private QueryParameter() {}

    /** Returns the first value of the parameter; an empty string if its escapes are malformed. */
    static Optional<String> of(HttpServletRequest request, String name) {
        String query = Optional.ofNullable(request.getQueryString()).orElse("");
        return Arrays.stream(query.split("&"))
                .filter(part -> part.equals(name) || part.startsWith(name + "="))
                .map(part -> decoded(part.substring(Math.min(part.length(), name.length() + 1))))
                .findFirst();
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }
}
