package dev.varve.platform.http.access;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.server.Request;

import java.util.Set;

/** Checks API keys and cross-origin rules. */
public final class AccessControl {
    private static final String HEADERS =
            "Authorization, Content-Type, Last-Event-ID, X-Api-Key, X-Request-Id,"
                    + " X-Varve-Resumable";
    private static final String EXPOSED =
            "X-Request-Id, Request-Id, X-Varve-Stream, Retry-After, X-Should-Retry";

    private final ClientAccessSettings access;
    private final CrossOriginGuard pages;
    private final OperatorRules operator;
    private final ProxyHeaderDetector proxies = new ProxyHeaderDetector();

    /** Makes the rules of a server that listens at an address. */
    public AccessControl(ListenAddress address, ClientAccessSettings access) {
        this.access = access;
        pages = new CrossOriginGuard(address, access.corsAndHosts());
        operator = new OperatorRules(address, access);
    }

    /**
     * Returns the caller of a request. Throws 401 unless the route is open or the request has a
     * valid key. Throws 403 if no key is needed and the request comes from another origin's page,
     * or if only the operator may call the route. The host name is not checked for GET and HEAD of
     * liveness routes.
     */
    public Caller admit(Request request, RoutePurpose purpose) {
        boolean open = purpose.isOpen() || purpose == RoutePurpose.METRICS && access.openMetrics();
        if (!access.needsKey()) {
            if (access.cache().operatorKey().isEmpty()) {
                proxies.warnOnce(request.getHeaders());
            }
            checkPage(request, purpose);
        }
        if (open || request.getMethod().equals("OPTIONS")) {
            return Caller.ANONYMOUS;
        }
        if (purpose == RoutePurpose.OPERATION) {
            operator.check(request);
            return Caller.ANONYMOUS;
        }
        GivenKey given = GivenKey.of(request.getHeaders());
        if (purpose == RoutePurpose.MONITORING && operator.isOperatorKey(given)) {
            return Caller.withKey(given.text()).asOperator();
        }
        return access.needsKey() ? withKey(given) : Caller.ANONYMOUS;
    }

    private void checkPage(Request request, RoutePurpose purpose) {
        boolean reads = Set.of("GET", "HEAD").contains(request.getMethod());
        if (purpose == RoutePurpose.LIVENESS && reads) {
            pages.checkPage(request.getHeaders());
        } else if (purpose == RoutePurpose.PAGE && reads) {
            pages.checkVisit(request.getHttpURI(), request.getHeaders());
        } else {
            pages.check(request.getHttpURI(), request.getHeaders());
        }
    }

    private Caller withKey(GivenKey given) {
        given.requireOneOf(access.apiKeys(), "an API key");
        Caller known = Caller.withKey(given.text());
        Caller caller = operator.isOperatorKey(given) ? known.asOperator() : known;
        return switch (access.cache().scopes()) {
            case KEY -> caller;
            case SHARED -> caller.inCommonScope();
        };
    }

    /** Returns which callers share cached prefixes. */
    public CacheSharingPolicy scopes() {
        return access.cache().scopes();
    }

    /** Adds the headers that let pages of allowed origins read the response. */
    public void allowOrigin(HttpServletRequest request, HttpServletResponse response) {
        String origin = request.getHeader("Origin");
        if (origin == null || !access.corsAndHosts().allowsOrigin(origin)) {
            return;
        }
        response.setHeader(
                "Access-Control-Allow-Origin",
                access.corsAndHosts().corsOrigins().contains("*") ? "*" : origin);
        response.setHeader("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS");
        // Vendors' SDKs send headers of their own, which change with their releases.
        String asked = request.getHeader("Access-Control-Request-Headers");
        response.setHeader("Access-Control-Allow-Headers", asked == null ? HEADERS : asked);
        response.setHeader("Access-Control-Expose-Headers", EXPOSED);
        response.addHeader("Vary", "Origin, Access-Control-Request-Headers");
    }
}
