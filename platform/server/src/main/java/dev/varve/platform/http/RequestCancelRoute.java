package dev.varve.platform.http;

import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.live.ActiveRequest;
import dev.varve.platform.http.live.ActiveRequests;

import java.io.IOException;

/**
 * {@code DELETE /requests/ID} cancels a request of the same key; the operator may cancel any
 * request. The id in the path is not decoded.
 */
final class RequestCancelRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Path prefix before the id. */
    static final String PREFIX = "/requests/";

    private final transient ActiveRequests live;

    RequestCancelRoute(RequestLifecycle cycle, ActiveRequests live) {
        super("/requests/ID", RouteAccess.OVERSIGHT, Methods.DELETE, cycle);
        this.live = live;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        String id = below(PREFIX, exchange.request());
        ActiveRequest answer =
                live.find(id)
                        .orElseThrow(
                                () ->
                                        ApiException.status(
                                                404,
                                                "request_not_found",
                                                "no such request: it has ended, or never was"));
        Caller caller = exchange.admitted().caller();
        if (!answer.isOf(caller) && !caller.isOperator()) {
            throw ApiException.status(
                    403,
                    "request_of_another_key",
                    "only the key that sent a request cancels it, and who runs the server");
        }
        answer.cancel();
        JsonResponse.write(
                exchange.response(),
                200,
                Json.object()
                        .put("id", id)
                        .put("object", "request.cancelled")
                        .put("cancelled", true));
        return RequestOutcome.PLAIN;
    }
}
