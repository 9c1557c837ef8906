package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.serving.ModelListResponse;

import jakarta.servlet.http.HttpServletRequest;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * {@code GET /v1/models/ID}, by the names that requests use, too. A {@code /} in an id stands as it
 * is or is escaped.
 */
final class ModelRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** What stands before the id. */
    static final String PREFIX = "/v1/models/";

    private final transient OfferedModels offer;
    private final transient ModelListResponse models;

    ModelRoute(RequestLifecycle cycle, OfferedModels offer, ModelListResponse models) {
        super(OTHER, RouteAccess.SERVICE, Methods.READ, cycle);
        this.offer = offer;
        this.models = models;
    }

    @Override
    String name(HttpServletRequest request) {
        return request.getRequestURI();
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        Optional<String> name = Optional.of(id(exchange.request()));
        JsonResponse.write(exchange.response(), 200, models.model(offer.view(name)));
        return RequestOutcome.PLAIN;
    }

    /** The id in the path of a request, without escapes. */
    static String id(HttpServletRequest request) {
        String path = below(PREFIX, request);
        // In a path a plus is one; broken escapes did not come this far.
        return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
