package dev.varve.platform.http;

import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.live.ActiveRequest;
import dev.varve.platform.http.live.ActiveRequests;
import dev.varve.platform.http.live.ActiveRequestsReport;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;

/**
 * Lists the active requests, cancels them, and ends their reasoning.
 *
 * @param offeredModels the models
 * @param activeRequests the active requests of all models
 */
record ActiveRequestEndpoints(OfferedModels offeredModels, ActiveRequests activeRequests) {
    /** Path prefix before the id of a request. */
    static final String PREFIX = "/requests/";

    private static final String ACTION = "action";
    private static final String END_REASONING = "reasoning_end";

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
        owned(activeRequests.find(id), exchange.admitted().caller(), "cancel it").cancel();
        return Json.object()
                .put("id", id)
                .put("object", "request.cancelled")
                .put("cancelled", true);
    }

    /**
     * {@code POST /v1/chat/completions/control}: ends the reasoning of a response, as llama.cpp
     * does for {@code {"id": "chatcmpl-…", "action": "reasoning_end"}}.
     */
    JsonNode control(ObjectNode body, Caller caller) {
        RequestFields fields = new RequestFields(body);
        String id = text(fields, "id");
        if (!text(fields, ACTION).equals(END_REASONING)) {
            throw ApiException.invalid(ACTION, ACTION + ": expected " + END_REASONING);
        }
        owned(activeRequests.findResponse(id), caller, "control it").endReasoning();
        return Json.object().put("success", true);
    }

    private static String text(RequestFields fields, String name) {
        return fields.text(name).orElseThrow(() -> ApiException.invalid(name, name + ": missing"));
    }

    /** Returns a request that exists and that the caller may change. */
    private static ActiveRequest owned(
            Optional<ActiveRequest> found, Caller caller, String action) {
        ActiveRequest request =
                found.orElseThrow(
                        () ->
                                ApiException.status(
                                        404,
                                        "request_not_found",
                                        "request not found: it has ended, or the id is wrong"));
        if (!request.isOf(caller) && !caller.isOperator()) {
            throw ApiException.status(
                    403,
                    "request_of_another_key",
                    "only the API key that sent a request, or the operator, may " + action);
        }
        return request;
    }
}
