package dev.varve.bench.http.stream;

import java.net.URI;
import java.util.Optional;

/**
 * A server to measure.
 *
 * @param base its address, without a slash at the end and without {@code /v1}
 * @param model name of the model in requests; without one, requests name none
 * @param apiKey key sent with each request, never shown
 */
public record Target(URI base, Optional<String> model, Optional<String> apiKey) {
    /**
     * Reads an address as people write it.
     *
     * @throws IllegalArgumentException if it is no address over HTTP
     */
    public static Target parse(String address, Optional<String> apiKey) {
        String trimmed = address.replaceFirst("/+$", "").replaceFirst("/v1$", "");
        URI base = URI.create(trimmed);
        boolean known = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
        if (!known || base.getHost() == null) {
            throw new IllegalArgumentException(
                    "expected an address such as http://127.0.0.1:8080, found " + address);
        }
        return new Target(base, Optional.empty(), apiKey);
    }

    /** Returns the same server with another model in requests. */
    public Target withModel(Optional<String> name) {
        return new Target(base, name, apiKey);
    }

    /** Returns the address of a route. */
    URI route(String path) {
        return URI.create(base + path);
    }

    @Override
    public String toString() {
        return base.toString();
    }
}
