package dev.varve.platform.http.access;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.Setting;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;

import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Keeps web pages of others away from a server that asks for no key.
 *
 * <p>A browser lets any page send requests to this machine, and a page whose name is made to point
 * here (DNS rebinding) may read the answers too. So requests must name the server by a name that no
 * stranger can own, and those that a browser marks as coming from another origin are refused. What
 * has no such marks comes from a program, which needs no web page to reach the server.
 */
final class CrossOriginGuard {
    private static final int MAX_SHOWN = 100;

    private final CrossOriginOptions access;
    private final String ownName;

    /** Whether other machines may reach the server, so that it has names of its own there. */
    private final boolean reachable;

    CrossOriginGuard(ListenAddress address, CrossOriginOptions access) {
        this.access = access;
        ownName = HostName.of(address.host()).text();
        reachable = !address.isLoopback();
    }

    /** Throws 403 unless the request may come from where it comes. */
    void check(HttpURI uri, HttpFields headers) {
        checkHosts(uri, headers);
        checkPage(headers);
    }

    /**
     * Throws 403 if a browser says that another's page sends the request. Enough where the answer
     * tells no secret: whoever watches over servers has names of its own for them.
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
     * As {@link #check}, but whoever follows a link of another site to the server's page may see
     * it: the other site learns nothing of what is there.
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
        // HTTP/1.0 has no Host, and no browser speaks it. A full address as the target has a host
        // as well, and that one counts for whoever believes it.
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
                "a server without an API key answers only to names of this machine, found "
                        + shown(host.text())
                        + " in the Host of the request: start it with "
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
                "pages of "
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
