package dev.varve.platform.http;

import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Request;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Routes by their paths: the only list of a server's routes. The route for a path decides access,
 * and whether the body is read.
 */
final class RouteTable {
    private static final String DEFAULT = "/";
    private static final Pattern DOTS = Pattern.compile("/\\.\\.?(/|$)");

    private final ServletContextHandler handler = new ServletContextHandler("/", false, false);
    private final Route unknown;
    private final SortedMap<String, Route> routes = new TreeMap<>();

    /** Makes an empty table; {@code unknown} handles paths without a route. */
    RouteTable(Route unknown) {
        this.unknown = unknown;
        // Routes read the request's path themselves, and handle escaped slashes in it.
        handler.getServletHandler().setDecodeAmbiguousURIs(true);
        mapAt(unknown, DEFAULT);
    }

    /** Maps a route to the path that is its label, and to further paths. */
    void map(Route route, String... aliases) {
        mapAt(route, route.label());
        mapAt(route, aliases);
    }

    /** Maps a route to paths other than its label. */
    void mapAt(Route route, String... paths) {
        RouteServletHolder holder = new RouteServletHolder(route);
        for (String path : paths) {
            handler.addServlet(holder, path);
            routes.put(path, route);
        }
    }

    /** A servlet holder whose route is known even before the servlet is initialised. */
    private static final class RouteServletHolder extends ServletHolder {
        private final Route route;

        RouteServletHolder(Route route) {
            super(route);
            this.route = route;
        }
    }

    /**
     * Returns the routes by the paths to which they are mapped: the root is empty, and the path
     * {@value #DEFAULT} has the route of all others.
     */
    SortedMap<String, Route> paths() {
        return Collections.unmodifiableSortedMap(routes);
    }

    /** Returns the handler for admitted requests. */
    ServletContextHandler handler() {
        return handler;
    }

    /**
     * Returns the route of a request by its undecoded path. A path with a dot segment has no route:
     * proxies and servers resolve it differently.
     */
    Route find(Request request) {
        String path = Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
        return path.startsWith("/")
                        && !DOTS.matcher(path).find()
                        && handler.getServletHandler()
                                        .getMatchedServlet(path)
                                        .getResource()
                                        .getServletHolder()
                                instanceof RouteServletHolder holder
                ? holder.route.of(request)
                : unknown;
    }
}
