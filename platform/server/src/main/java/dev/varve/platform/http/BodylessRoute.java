package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.JsonResponse;

import tools.jackson.databind.JsonNode;

import java.io.IOException;

/** A route for requests without a body, which a function answers. */
final class BodylessRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Writes the response to a request. */
    interface Answer {
        RequestOutcome write(Exchange exchange) throws IOException, InterruptedException;
    }

    /** Returns the JSON value that is the response to a request. */
    interface Report {
        JsonNode of(Exchange exchange) throws InterruptedException;
    }

    private final transient Answer answer;

    BodylessRoute(
            String label,
            RoutePurpose purpose,
            Methods methods,
            RequestLifecycle lifecycle,
            Answer answer) {
        super(label, purpose, methods, lifecycle);
        this.answer = answer;
    }

    /** Returns an answer that writes a JSON value. */
    static Answer json(Report report) {
        return exchange -> {
            JsonResponse.write(exchange.response(), 200, report.of(exchange));
            return RequestOutcome.PLAIN;
        };
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        return answer.write(exchange);
    }
}
