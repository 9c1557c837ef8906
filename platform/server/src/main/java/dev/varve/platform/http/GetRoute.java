package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.JsonResponse;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.function.Supplier;

/** A route that is read with GET and takes no body. */
final class GetRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Writes what a route has to say. */
    interface Reader {
        void read(Exchange exchange) throws IOException;
    }

    private final transient Reader reader;

    GetRoute(String label, RouteAccess purpose, RequestLifecycle cycle, Reader reader) {
        super(label, purpose, Methods.READ, cycle);
        this.reader = reader;
    }

    /** Writes an object. */
    static Reader json(Supplier<? extends JsonNode> body) {
        return exchange -> JsonResponse.write(exchange.response(), 200, body.get());
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        reader.read(exchange);
        return RequestOutcome.PLAIN;
    }
}
