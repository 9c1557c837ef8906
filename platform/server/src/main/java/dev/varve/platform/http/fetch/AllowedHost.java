package dev.varve.platform.http.fetch;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host from which images may be fetched.
 *
 * @param name name or literal address in lower case; {@code *.} before a name means the names below
 *     it, and {@code *} alone all hosts
 * @param port allowed port; empty for those of {@code http} and {@code https}
 * @param anyAddress whether the addresses need not be public: a literal address, or a name that the
 *     operator marks
 */
record AllowedHost(String name, OptionalInt port, boolean anyAddress) {
    private static final String PRIVATE = "=private";
    private static final String ALL = "*";
    private static final int MAX_PORT = 65_535;

    private static final Pattern FORM =
            Pattern.compile("(\\*|\\[[0-9a-fA-F:.]+]|(?:\\*\\.)?[\\w.-]+)(?::(\\d{1,5}))?");

    /**
     * Parses {@code HOST[:PORT][=private]}; empty if it has another form.
     *
     * @param text one value of the flag
     */
    static Optional<AllowedHost> parse(String text) {
        boolean marked = text.endsWith(PRIVATE);
        String host = marked ? text.substring(0, text.length() - PRIVATE.length()) : text;
        Matcher form = FORM.matcher(host);
        if (!form.matches() || marked && form.group(1).equals(ALL)) {
            return Optional.empty();
        }
        int port = form.group(2) == null ? 0 : Integer.parseInt(form.group(2));
        if (form.group(2) != null && (port < 1 || port > MAX_PORT)) {
            return Optional.empty();
        }
        String name = ImageUrl.plain(form.group(1));
        return Optional.of(
                new AllowedHost(
                        name,
                        port == 0 ? OptionalInt.empty() : OptionalInt.of(port),
                        marked || ImageUrl.literal(name).isPresent()));
    }

    /** Returns whether a URL is of this host. */
    boolean covers(ImageUrl url) {
        boolean portFits = port.isPresent() ? url.port() == port.getAsInt() : url.hasUsualPort();
        return portFits && coversName(url.host());
    }

    private boolean coversName(String host) {
        return name.equals(ALL)
                || name.equals(host)
                || name.startsWith("*.") && host.endsWith(name.substring(1));
    }
}
