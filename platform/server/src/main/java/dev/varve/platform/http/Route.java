package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ErrorForm;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.server.Request;

import java.io.IOException;
import java.util.Set;

/**
 * A route of the API: a servlet, and the properties by which a request is admitted before its body
 * is read. {@link ApiRoutes} maps it to its paths.
 */
abstract class Route extends HttpServlet {
    private static final long serialVersionUID = 1L;

    /**
     * Label of all routes whose paths clients choose, so that the number of labels in metrics and
     * logs is bounded.
     */
    static final String OTHER = "other";

    /** HTTP methods of a route. */
    enum Methods {
        READ(Set.of("GET", "HEAD")),
        POST(Set.of("POST")),
        READ_OR_POST(Set.of("GET", "HEAD", "POST")),
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

        /** Returns the value of the {@code Allow} header. */
        String allow() {
            return switch (this) {
                case READ -> "GET, HEAD, OPTIONS";
                case READ_OR_POST -> "GET, HEAD, POST, OPTIONS";
                case READ_OR_DELETE -> "GET, DELETE, OPTIONS";
                case DELETE -> "DELETE, OPTIONS";
                case POST, ANY -> "POST, OPTIONS";
            };
        }
    }

    private final String label;
    private final RoutePurpose purpose;
    private final Methods methods;
    private final transient RequestLifecycle lifecycle;

    Route(String label, RoutePurpose purpose, Methods methods, RequestLifecycle lifecycle) {
        this.label = label;
        this.purpose = purpose;
        this.methods = methods;
        this.lifecycle = lifecycle;
    }

    /** Returns the name of the route in metrics and the log. */
    final String label() {
        return label;
    }

    final RoutePurpose purpose() {
        return purpose;
    }

    final Methods methods() {
        return methods;
    }

    /** Returns the name of the route in messages to the client of a request. */
    String name(HttpServletRequest request) {
        return label;
    }

    /**
     * Returns the form of the errors; if several vendors share the route, the client's vendor
     * decides.
     */
    ErrorForm errors(HttpServletRequest request) {
        return ErrorForm.of(
                request.getRequestURI(), request.getHeader("anthropic-version") != null);
    }

    /**
     * Returns the route that handles a request for this path: another one if two routes share the
     * path.
     */
    Route of(Request request) {
        return this;
    }

    /**
     * Returns whether the body of a request with this method is read; not if the request is refused
     * anyway.
     */
    boolean readsBody(String method) {
        return false;
    }

    /** Handles an admitted request whose method the route accepts. */
    abstract RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException;

    /** Returns the part of a request's path after {@code prefix}, undecoded. */
    static String below(String prefix, HttpServletRequest request) {
        String path = request.getRequestURI();
        return path.startsWith(prefix) ? path.substring(prefix.length()) : "";
    }

    /** Attaches the route to a request. */
    final void attachTo(Request request) {
        request.setAttribute(Route.class.getName(), this);
    }

    /**
     * Runs the route that was found by the undecoded path. The container normalises paths first, so
     * it may choose another servlet.
     */
    @Override
    protected final void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Route asked = (Route) request.getAttribute(Route.class.getName());
        lifecycle.run(asked, request, response);
    }
}
