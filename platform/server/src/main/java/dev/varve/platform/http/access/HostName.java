package dev.varve.platform.http.access;

import java.net.InetAddress;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A host as a client names it, in lower case, without port, brackets and the dot of a full name.
 *
 * @param text a name, or an address in numbers
 */
record HostName(String text) {
    private static final String LOCALHOST = "localhost";

    /** Names that the Internet has set aside: each network has its own. */
    private static final List<String> LOCAL_ENDINGS = List.of(".internal", ".local", ".home.arpa");

    /** {@code authority}: a host with or without a port. */
    static HostName of(String authority) {
        String host = authority.toLowerCase(Locale.ROOT);
        if (host.startsWith("[")) {
            int end = host.indexOf(']');
            return new HostName(end < 0 ? host : host.substring(1, end));
        }
        int port = host.indexOf(':');
        // Several colons: an address of IPv6 without brackets.
        if (port >= 0 && host.indexOf(':', port + 1) < 0) {
            host = host.substring(0, port);
        }
        return new HostName(host.endsWith(".") ? host.substring(0, host.length() - 1) : host);
    }

    /** Whether it always means this machine, whatever a name server says. */
    boolean isLoopback() {
        return text.equals(LOCALHOST)
                || text.endsWith("." + LOCALHOST)
                || address().map(InetAddress::isLoopbackAddress).orElse(false);
    }

    /** Whether no name server of a stranger can answer for it. */
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
