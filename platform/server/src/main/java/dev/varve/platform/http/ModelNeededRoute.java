package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.ApiException;

/** A route that a server without a model of its own does not have. */
final class ModelNeededRoute extends Route {
    private static final long serialVersionUID = 1L;

    ModelNeededRoute(String label, RequestCycle cycle) {
        super(label, Purpose.SERVICE, Methods.ANY, cycle);
    }

    @Override
    Outcome answer(Exchange exchange) {
        throw ApiException.status(
                501,
                "not_proxied",
                label()
                        + ": this server has no model of its own; of the upstream server's routes"
                        + " it offers /v1/chat/completions and /v1/models");
    }
}
