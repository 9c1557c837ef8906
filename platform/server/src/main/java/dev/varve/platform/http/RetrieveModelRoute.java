package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.serving.ModelListResponse;

import jakarta.servlet.http.HttpServletRequest;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * {@code GET /v1/models/ID}: describes a model. Accepts every name that requests may use. A {@code
 * /} in an id may be escaped.
 */
final class RetrieveModelRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Path prefix before the id. */
    static final String PREFIX = "/v1/models/";

    private final transient OfferedModels offeredModels;
    private final transient ModelListResponse models;

    RetrieveModelRoute(
            RequestLifecycle lifecycle, OfferedModels offeredModels, ModelListResponse models) {
        super(OTHER, RoutePurpose.SERVICE, Methods.READ, lifecycle);
        this.offeredModels = offeredModels;
        this.models = models;
    }

    @Override
    String name(HttpServletRequest request) {
        return request.getRequestURI();
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        Optional<String> name = Optional.of(id(exchange.request()));
        JsonResponse.write(exchange.response(), 200, models.model(offeredModels.view(name)));
        return RequestOutcome.PLAIN;
    }

    /** Returns the decoded id in the path of a request. */
    static String id(HttpServletRequest request) {
        String path = below(PREFIX, request);
        // A plus in a path is literal; malformed escapes were refused earlier.
        return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
