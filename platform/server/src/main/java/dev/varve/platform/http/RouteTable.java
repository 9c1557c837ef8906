package dev.varve.platform.http;

import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Request;

import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Routes by their paths: the only list of a server's routes. Who may call one, and whether its body
 * is read, is decided by the route that it gives for a path.
 */
final class RouteTable {
    private static final String DEFAULT = "/";
    private static final Pattern DOTS = Pattern.compile("/\\.\\.?(/|$)");

    private final ServletContextHandler handler = new ServletContextHandler("/", false, false);
    private final Route unknown;

    /** {@code unknown}: answers where there is no route. */
    RouteTable(Route unknown) {
        this.unknown = unknown;
        // Routes read the path of the request itself; that a slash in it is escaped is theirs.
        handler.getServletHandler().setDecodeAmbiguousURIs(true);
        map(unknown, DEFAULT);
    }

    void map(Route route, String... paths) {
        Holder holder = new Holder(route);
        for (String path : paths) {
            handler.addServlet(holder, path);
        }
    }

    /** The holder of a route, which tells it before the servlet is initialised too. */
    private static final class Holder extends ServletHolder {
        private final Route route;

        Holder(Route route) {
            super(route);
            this.route = route;
        }
    }

    /** What handles requests that were let in. */
    ServletContextHandler handler() {
        return handler;
    }

    /**
     * The route of a request, by its path as it is written. A path with a segment of dots has none:
     * what it means depends on who reads it.
     */
    Route find(Request request) {
        String path = Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
        return path.startsWith("/")
                        && !DOTS.matcher(path).find()
                        && handler.getServletHandler()
                                        .getMatchedServlet(path)
                                        .getResource()
                                        .getServletHolder()
                                instanceof Holder holder
                ? holder.route.of(request)
                : unknown;
    }
}
