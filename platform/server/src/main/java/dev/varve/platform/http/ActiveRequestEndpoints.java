package dev.varve.platform.http;

import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.live.ActiveRequest;
import dev.varve.platform.http.live.ActiveRequests;
import dev.varve.platform.http.live.ActiveRequestsReport;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;

/**
 * Lists and cancels the active requests.
 *
 * @param offeredModels the models
 * @param activeRequests the active requests of all models
 */
record ActiveRequestEndpoints(OfferedModels offeredModels, ActiveRequests activeRequests) {
    /** Path prefix before the id of a request. */
    static final String PREFIX = "/requests/";

    /** {@code GET /requests?model=ID}: lists the active requests of one model or of all. */
    JsonNode list(Exchange exchange) {
        Optional<String> model =
                RequestedModelName.inQuery(exchange.request())
                        .map(name -> offeredModels.view(Optional.of(name)).id());
        List<ActiveRequest> shown =
                activeRequests.all().stream()
                        .filter(answer -> model.map(answer.origin().model()::equals).orElse(true))
                        .toList();
        return ActiveRequestsReport.of(shown, exchange.admitted().caller());
    }

    /**
     * {@code DELETE /requests/ID} cancels a request of the same key; the operator may cancel any
     * request. The id in the path is not decoded.
     */
    JsonNode cancel(Exchange exchange) {
        String id = Route.below(PREFIX, exchange.request());
        ActiveRequest answer =
                activeRequests
                        .find(id)
                        .orElseThrow(
                                () ->
                                        ApiException.status(
                                                404,
                                                "request_not_found",
                                                "request not found: it has ended, or the id is"
                                                        + " wrong"));
        Caller caller = exchange.admitted().caller();
        if (!answer.isOf(caller) && !caller.isOperator()) {
            throw ApiException.status(
                    403,
                    "request_of_another_key",
                    "only the API key that sent a request, or the operator, may cancel it");
        }
        answer.cancel();
        return Json.object()
                .put("id", id)
                .put("object", "request.cancelled")
                .put("cancelled", true);
    }
}
