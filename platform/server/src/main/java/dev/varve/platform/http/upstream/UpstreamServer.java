package dev.varve.platform.http.upstream;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Objects;
import java.util.Optional;

/**
 * The address of the upstream server.
 *
 * @param base base address of its API, such as {@code http://host:8000/v1}, without a slash at the
 *     end
 * @param key sent with each request as a bearer token, instead of the client's
 * @param model replaces the model that clients name
 */
public record UpstreamServer(URI base, Optional<String> key, Optional<String> model) {
    /** Checks that the key is valid in a header. */
    public UpstreamServer {
        Objects.requireNonNull(base);
        Objects.requireNonNull(model);
        if (key.filter(UpstreamServer::isHeaderValue).isEmpty() && key.isPresent()) {
            throw new IllegalArgumentException(
                    "expected a key of printable ASCII characters without spaces, found another"
                            + " character");
        }
    }

    /** Returns whether a header value can be forwarded. */
    static boolean isSendable(String value) {
        return value.chars().allMatch(c -> c >= ' ' && c < 0x7f);
    }

    private static boolean isHeaderValue(String key) {
        return !key.isEmpty() && key.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    /** Makes a target without a key that receives the model names of clients. */
    public static UpstreamServer of(URI base) {
        return new UpstreamServer(base, Optional.empty(), Optional.empty());
    }

    /**
     * Parses an address; trailing slashes are ignored.
     *
     * @throws IllegalArgumentException if it is not a server's address; the message never quotes a
     *     password
     */
    public static URI parseBase(String text) {
        URI uri;
        try {
            uri = new URI(text.replaceFirst("/+$", ""));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "expected an address such as http://host:8000/v1, found an invalid URI", e);
        }
        boolean web = "http".equalsIgnoreCase(uri.getScheme()) || isSecure(uri);
        if (!web || uri.getHost() == null || uri.getPort() > 0xffff) {
            throw new IllegalArgumentException(
                    "expected an address that begins with http:// or https:// and a host, such as"
                            + " http://host:8000/v1");
        }
        if (uri.getRawUserInfo() != null
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null) {
            throw new IllegalArgumentException(
                    "expected an address without user, query and fragment; set the key separately");
        }
        return uri;
    }

    private static boolean isSecure(URI uri) {
        return "https".equalsIgnoreCase(uri.getScheme());
    }

    /** Returns the address of a route, which begins with a slash. */
    URI at(String route) {
        return URI.create(base + route);
    }

    /** Keeps the key out of logs. */
    @Override
    public String toString() {
        return base
                + model.map(name -> " as " + name).orElse("")
                + (key.isPresent() ? " with a key" : "");
    }
}
