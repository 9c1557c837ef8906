package dev.varve.platform.http;

import org.eclipse.jetty.server.Request;

import java.util.Optional;
import java.util.Set;

/** The paths that the server knows. */
final class Routes {
    static final String MODEL_PREFIX = "/v1/models/";

    private static final String METRICS = "/metrics";
    private static final Set<String> OPEN = Set.of("/health", "/livez");
    private static final Set<String> GET =
            Set.of("/", "/health", "/livez", "/v1/models", "/props", METRICS);
    private static final Set<String> POST =
            Set.of(
                    "/v1/chat/completions",
                    "/v1/completions",
                    "/apply-template",
                    "/tokenize",
                    "/detokenize");

    private Routes() {}

    /** The path of a request; empty where its target has none. */
    static String path(Request request) {
        return Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
    }

    /** The route of a path; generation routes are known with and without their version. */
    static String of(String path) {
        String versioned = "/v1" + path;
        return POST.contains(versioned) || versioned.equals("/v1/models") ? versioned : path;
    }

    /** Whether it is read with GET. */
    static boolean isReadable(String route) {
        return GET.contains(route) || route.startsWith(MODEL_PREFIX);
    }

    /** Whether it takes a body with POST. */
    static boolean takesBody(String route) {
        return POST.contains(route);
    }

    /** Whether no key is needed. */
    static boolean isOpen(String route) {
        return OPEN.contains(route);
    }

    /** Whether it tells how the server does; such requests come often, and must always get in. */
    static boolean isProbe(String route) {
        return isOpen(route) || route.equals(METRICS);
    }

    /** The route for metrics and the log, which must not grow with what clients make up. */
    static String label(String route) {
        return GET.contains(route) || POST.contains(route) ? route : "other";
    }
}
