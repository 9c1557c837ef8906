package dev.varve.platform.http.access;

import java.util.Locale;
import java.util.Map;

/**
 * The origin of a web page in canonical form: lower case, without the scheme's default port and
 * without trailing dot.
 *
 * @param text scheme and authority, or unchanged {@code null} or {@code *}
 */
record WebOrigin(String text) {
    private static final String SEPARATOR = "://";
    private static final Map<String, String> PORTS = Map.of("http", ":80", "https", ":443");

    static WebOrigin of(String origin) {
        int end = origin.indexOf(SEPARATOR);
        if (end < 0) {
            return new WebOrigin(origin);
        }
        String scheme = origin.substring(0, end).toLowerCase(Locale.ROOT);
        String authority = origin.substring(end + SEPARATOR.length());
        return new WebOrigin(scheme + SEPARATOR + normal(scheme, authority));
    }

    /** Returns whether the origin belongs to a host, given with or without a port. */
    boolean isOf(String host) {
        int end = text.indexOf(SEPARATOR);
        return end > 0
                && text.substring(end + SEPARATOR.length())
                        .equals(normal(text.substring(0, end), host));
    }

    private static String normal(String scheme, String authority) {
        String host = authority.toLowerCase(Locale.ROOT);
        String port = "";
        int colon = host.lastIndexOf(':');
        if (colon > host.lastIndexOf(']')) {
            port = host.substring(colon);
            host = host.substring(0, colon);
        }
        boolean usual = port.equals(PORTS.get(scheme));
        String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
        return name + (usual ? "" : port);
    }
}
