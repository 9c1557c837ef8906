package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.JsonAnswer;

import jakarta.servlet.http.HttpServletRequest;

import java.io.IOException;

/** {@code GET /v1/models/ID}. The id is taken as it is written in the path. */
final class ModelRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** What stands before the id. */
    static final String PREFIX = "/v1/models/";

    private final transient Offer offer;

    ModelRoute(RequestCycle cycle, Offer offer) {
        super(OTHER, Purpose.SERVICE, Methods.READ, cycle);
        this.offer = offer;
    }

    @Override
    String name(HttpServletRequest request) {
        return request.getRequestURI();
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException {
        String id = exchange.request().getRequestURI().substring(PREFIX.length());
        JsonAnswer.write(exchange.response(), 200, offer.require().facts().model(id));
        return Outcome.PLAIN;
    }
}
