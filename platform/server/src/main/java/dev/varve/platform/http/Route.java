package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ErrorForm;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.server.Request;

import java.io.IOException;
import java.util.Set;

/**
 * A route of the API: the servlet that answers it, and what is decided about a request before
 * anything of it is read. {@link ApiRoutes} maps it to its paths.
 */
abstract class Route extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /** The label of all whose paths clients make up, so that metrics and logs do not grow. */
    static final String OTHER = "other";

    /** How a route is asked. */
    enum Methods {
        READ(Set.of("GET", "HEAD")),
        POST(Set.of("POST")),
        READ_OR_DELETE(Set.of("GET", "DELETE")),
        DELETE(Set.of("DELETE")),
        ANY(Set.of());

        private final Set<String> names;

        Methods(Set<String> names) {
            this.names = names;
        }

        boolean contain(String method) {
            return this == ANY || names.contains(method);
        }

        /** Value of the header {@code Allow}. */
        String allow() {
            return switch (this) {
                case READ -> "GET, HEAD, OPTIONS";
                case READ_OR_DELETE -> "GET, DELETE, OPTIONS";
                case DELETE -> "DELETE, OPTIONS";
                case POST, ANY -> "POST, OPTIONS";
            };
        }
    }

    private final String label;
    private final RouteAccess purpose;
    private final Methods methods;
    private final transient RequestLifecycle cycle;

    Route(String label, RouteAccess purpose, Methods methods, RequestLifecycle cycle) {
        this.label = label;
        this.purpose = purpose;
        this.methods = methods;
        this.cycle = cycle;
    }

    /** Its name in metrics and the log. */
    final String label() {
        return label;
    }

    final RouteAccess purpose() {
        return purpose;
    }

    final Methods methods() {
        return methods;
    }

    /** Its name in messages to the client that sends a request. */
    String name(HttpServletRequest request) {
        return label;
    }

    /**
     * The shape of its errors: that of the vendor whose client asks, if the route is of several.
     */
    ErrorForm errors(HttpServletRequest request) {
        return ErrorForm.of(
                request.getRequestURI(), request.getHeader("anthropic-version") != null);
    }

    /** The route that answers a request for this one's path: another one if two share it. */
    Route of(Request request) {
        return this;
    }

    /** Whether the body of such a request is wanted; what is refused anyway needs none. */
    boolean readsBody(String method) {
        return false;
    }

    /** Answers a request that got in, with a method that the route takes. */
    abstract RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException;

    /** Returns the part of a request's path behind {@code prefix}, undecoded. */
    static String below(String prefix, HttpServletRequest request) {
        String path = request.getRequestURI();
        return path.startsWith(prefix) ? path.substring(prefix.length()) : "";
    }

    /** Ties the route to a request for it. */
    final void attachTo(Request request) {
        request.setAttribute(Route.class.getName(), this);
    }

    /**
     * Paths are taken as they are written. The container normalises them first, so the servlet that
     * it chooses may be another than that of the path.
     */
    @Override
    protected final void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Route asked = (Route) request.getAttribute(Route.class.getName());
        cycle.run(asked, request, response);
    }
}
