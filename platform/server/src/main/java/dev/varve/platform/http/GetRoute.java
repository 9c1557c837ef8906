package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.JsonResponse;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.function.Supplier;

/** A route for GET requests without a body. */
final class GetRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Writes the response of a route. */
    interface Reader {
        void read(Exchange exchange) throws IOException;
    }

    private final transient Reader reader;

    GetRoute(String label, RouteAccess purpose, RequestLifecycle cycle, Reader reader) {
        super(label, purpose, Methods.READ, cycle);
        this.reader = reader;
    }

    /** Returns a reader that writes a JSON value. */
    static Reader json(Supplier<? extends JsonNode> body) {
        return exchange -> JsonResponse.write(exchange.response(), 200, body.get());
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        reader.read(exchange);
        return RequestOutcome.PLAIN;
    }
}
