package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.http.serving.ModelList;

import jakarta.servlet.http.HttpServletRequest;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * {@code GET /v1/models/ID}, by the names that requests use, too. A {@code /} in an id stands as it
 * is.
 */
final class ModelRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** What stands before the id. */
    static final String PREFIX = "/v1/models/";

    private final transient Offer offer;
    private final transient ModelList models;

    ModelRoute(RequestCycle cycle, Offer offer, ModelList models) {
        super(OTHER, Purpose.SERVICE, Methods.READ, cycle);
        this.offer = offer;
        this.models = models;
    }

    @Override
    String name(HttpServletRequest request) {
        return request.getRequestURI();
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException {
        String name = decoded(exchange.request().getRequestURI().substring(PREFIX.length()));
        JsonAnswer.write(exchange.response(), 200, models.model(offer.view(Optional.of(name))));
        return Outcome.PLAIN;
    }

    private static String decoded(String path) {
        // In a path a plus is one; broken escapes did not come this far.
        return URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
