package dev.varve.platform.http.access;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.Setting;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;

import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Refuses requests from other origins' web pages to a server without keys.
 *
 * <p>A browser lets any page send requests to this machine, and a page whose name an attacker
 * points to this machine (DNS rebinding) may read the responses too. So requests must name the
 * server by a name that no attacker can own, and requests that a browser marks as cross-origin are
 * refused. A request without such marks comes from a program, which could call the server directly.
 */
final class CrossOriginGuard {
    private static final int MAX_SHOWN = 100;

    private final CorsAndHostOptions access;
    private final String ownName;

    /** Whether other machines can reach the server, so that it has local network names. */
    private final boolean reachable;

    CrossOriginGuard(ListenAddress address, CorsAndHostOptions access) {
        this.access = access;
        ownName = HostName.of(address.host()).text();
        reachable = !address.isLoopback();
    }

    /** Throws 403 unless the host name and the origin of a request are allowed. */
    void check(HttpURI uri, HttpFields headers) {
        checkHosts(uri, headers);
        checkPage(headers);
    }

    /**
     * Throws 403 if a browser marks the request as cross-origin. Does not check the host name: this
     * suffices for responses without secrets, since monitoring systems use names of their own for
     * servers.
     */
    void checkPage(HttpFields headers) {
        Optional<String> host = header(headers, "Host");
        Optional<String> origin = header(headers, "Origin");
        if (origin.isPresent()) {
            checkOrigin(origin.get(), host.orElse(""));
        } else if (header(headers, "Sec-Fetch-Site").filter("cross-site"::equals).isPresent()) {
            throw refused("other sites", "ORIGIN");
        }
    }

    /**
     * Like {@link #check}, but allows a visit through another site's link to the server's page: the
     * other site cannot read the page.
     */
    void checkVisit(HttpURI uri, HttpFields headers) {
        boolean visit =
                header(headers, "Origin").isEmpty()
                        && header(headers, "Sec-Fetch-Mode").filter("navigate"::equals).isPresent()
                        && header(headers, "Sec-Fetch-Dest").filter("document"::equals).isPresent();
        if (visit) {
            checkHosts(uri, headers);
        } else {
            check(uri, headers);
        }
    }

    private void checkHosts(HttpURI uri, HttpFields headers) {
        // HTTP/1.0 has no Host header, and no browser uses it. An absolute request target has a
        // host as well, which may take precedence, so both are checked.
        header(headers, "Host").ifPresent(this::checkHost);
        Optional.ofNullable(uri.getHost()).ifPresent(this::checkHost);
    }

    private void checkHost(String authority) {
        HostName host = HostName.of(authority);
        if (host.isLoopback()
                || host.text().equals(ownName)
                || reachable && host.isLocal()
                || access.allowedHosts().contains("*")
                || access.allowedHosts().stream().map(HostName::of).anyMatch(host::equals)) {
            return;
        }
        throw ApiException.status(
                403,
                "host_not_allowed",
                "Host: a server without an API key accepts only names of its own machine, found "
                        + shown(host.text())
                        + ": start it with "
                        + Setting.ALLOWED_HOST
                        + " "
                        + shown(host.text())
                        + ", or with an API key");
    }

    private void checkOrigin(String origin, String host) {
        if (!WebOrigin.of(origin).isOf(host) && !access.allowsOrigin(origin)) {
            throw refused(shown(origin), shown(origin));
        }
    }

    private static ApiException refused(String whose, String origin) {
        return ApiException.status(
                403,
                "origin_not_allowed",
                "web pages of "
                        + whose
                        + " may not call a server without an API key: start it with "
                        + Setting.CORS_ORIGIN
                        + " "
                        + origin
                        + ", or with an API key");
    }

    private static Optional<String> header(HttpFields headers, String name) {
        return Optional.ofNullable(headers.get(name)).filter(value -> !value.isBlank());
    }

    private static String shown(String text) {
        return text.length() > MAX_SHOWN
                ? "…"
                : text.chars()
                        .filter(unit -> unit > ' ' && unit < 0x7F)
                        .mapToObj(Character::toString)
                        .collect(Collectors.joining());
    }
}
