package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;

/** A route that a server without a model of its own does not have. */
final class ProxyUnsupportedRoute extends Route {
    private static final long serialVersionUID = 1L;

    ProxyUnsupportedRoute(String label, RequestLifecycle cycle) {
        super(label, RouteAccess.SERVICE, Methods.ANY, cycle);
    }

    @Override
    RequestOutcome answer(Exchange exchange) {
        throw ApiException.status(
                501,
                "not_proxied",
                label()
                        + ": this server has no model of its own; of the upstream server's routes"
                        + " it offers /v1/chat/completions and /v1/models");
    }
}
