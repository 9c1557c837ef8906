package dev.varve.platform.http.access;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The host in a request, in lower case, without port, brackets and trailing dot.
 *
 * @param text a name or a numeric address
 */
record HostName(String text) {
    private static final String LOCALHOST = "localhost";

    /** Top-level names that are reserved for local networks. */
    private static final List<String> LOCAL_ENDINGS = List.of(".internal", ".local", ".home.arpa");

    /** Parses {@code authority}, a host with or without a port. */
    static HostName of(String authority) {
        String host = authority.toLowerCase(Locale.ROOT);
        if (host.startsWith("[")) {
            int end = host.indexOf(']');
            return new HostName(end < 0 ? host : host.substring(1, end));
        }
        int port = host.indexOf(':');
        // Several colons: an IPv6 address without brackets.
        if (port >= 0 && host.indexOf(':', port + 1) < 0) {
            host = host.substring(0, port);
        }
        return new HostName(host.endsWith(".") ? host.substring(0, host.length() - 1) : host);
    }

    /** Returns whether the name always means this machine, whatever DNS says. */
    boolean isLoopback() {
        return text.equals(LOCALHOST)
                || text.endsWith("." + LOCALHOST)
                || address().map(InetAddress::isLoopbackAddress).orElse(false);
    }

    /** Returns whether no attacker's DNS server can resolve the name. */
    boolean isLocal() {
        return text.indexOf('.') < 0 && !text.isEmpty()
                || LOCAL_ENDINGS.stream().anyMatch(text::endsWith)
                || address().isPresent();
    }

    private Optional<InetAddress> address() {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
