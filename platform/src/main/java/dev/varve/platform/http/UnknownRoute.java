package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.ApiException;

import jakarta.servlet.http.HttpServletRequest;

/** What answers where there is no route. */
final class UnknownRoute extends Route {
    private static final long serialVersionUID = 1L;
    private static final int MAX_SHOWN = 200;

    UnknownRoute(RequestCycle cycle) {
        super(OTHER, Purpose.SERVICE, Methods.ANY, cycle);
    }

    @Override
    Outcome answer(Exchange exchange) {
        HttpServletRequest request = exchange.request();
        String path = request.getRequestURI();
        throw ApiException.status(
                404,
                "",
                "unknown endpoint "
                        + request.getMethod()
                        + " "
                        + (path.length() > MAX_SHOWN ? "…" : path));
    }
}
