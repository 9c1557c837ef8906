package dev.varve.platform.http.access;

import java.util.Locale;
import java.util.Map;

/**
 * The origin of a web page, in the one form that is compared: lower case, without the scheme's own
 * port and the dot of a full name.
 *
 * @param text scheme and authority, or {@code null} or {@code *} as they are
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

    /** Whether it is that of pages that come from a host, given with or without a port. */
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
