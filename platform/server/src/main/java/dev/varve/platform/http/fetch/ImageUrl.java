package dev.varve.platform.http.fetch;

import dev.varve.platform.vision.InvalidImageException;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;

/**
 * The address of an image.
 *
 * @param secure whether the scheme is {@code https}
 * @param host name or literal address in lower case, without brackets and trailing dot
 * @param port port of the server
 * @param target path and query, as the request line has them
 */
record ImageUrl(boolean secure, String host, int port, String target) {
    private static final int HTTP_PORT = 80;
    private static final int HTTPS_PORT = 443;
    private static final int MAX_PORT = 65_535;

    /**
     * Parses a URL.
     *
     * @throws InvalidImageException if it is none of {@code http} or {@code https}, or has a user
     */
    static ImageUrl parse(String url) {
        try {
            return of(new URI(url.strip()));
        } catch (URISyntaxException e) {
            throw new InvalidImageException("the URL is malformed", e);
        }
    }

    /**
     * Resolves the target of a redirect.
     *
     * @throws InvalidImageException like {@link #parse}, or if it leaves {@code https}
     */
    ImageUrl redirected(String location) {
        ImageUrl next;
        try {
            URI base = new URI(origin() + target);
            next = of(base.resolve(new URI(location.strip())));
        } catch (URISyntaxException | IllegalArgumentException e) {
            throw new InvalidImageException("the image's host redirects to a malformed URL", e);
        }
        if (secure && !next.secure) {
            throw new InvalidImageException("the image's host redirects from https to http");
        }
        return next;
    }

    private static ImageUrl of(URI uri) {
        String scheme = Optional.ofNullable(uri.getScheme()).orElse("").toLowerCase(Locale.ROOT);
        boolean secure = scheme.equals("https");
        if (!secure && !scheme.equals("http")) {
            throw new InvalidImageException("expected a URL with http or https");
        }
        if (uri.getHost() == null || uri.getUserInfo() != null) {
            throw new InvalidImageException("expected a URL with a host and without a user");
        }
        int usual = secure ? HTTPS_PORT : HTTP_PORT;
        int port = uri.getPort() < 0 ? usual : uri.getPort();
        if (port < 1 || port > MAX_PORT) {
            throw new InvalidImageException("the URL has the port " + port);
        }
        return new ImageUrl(secure, plain(uri.getHost()), port, target(uri));
    }

    private static String target(URI uri) {
        // Text outside ASCII may not appear in a request line.
        URI ascii = URI.create(uri.toASCIIString());
        String path = ascii.getRawPath();
        String query = ascii.getRawQuery();
        return (path == null || path.isEmpty() ? "/" : path) + (query == null ? "" : "?" + query);
    }

    /** Returns a host in the form of this record. */
    static String plain(String host) {
        String lower = host.toLowerCase(Locale.ROOT);
        if (lower.startsWith("[") && lower.endsWith("]")) {
            String literal = lower.substring(1, lower.length() - 1);
            return literal(literal).map(InetAddress::getHostAddress).orElse(literal);
        }
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /** Returns the address if a host is one. */
    static Optional<InetAddress> literal(String host) {
        try {
            return Optional.of(InetAddress.ofLiteral(host));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether the port is that of the scheme. */
    boolean hasUsualPort() {
        return port == (secure ? HTTPS_PORT : HTTP_PORT);
    }

    /** Value of the {@code Host} header. */
    String authority() {
        String name = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return hasUsualPort() ? name : name + ":" + port;
    }

    private String origin() {
        return (secure ? "https://" : "http://") + authority();
    }
}
