package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.intake.RequestBody;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;

/** {@code POST /v1/chat/completions/control}: changes an active request. Needs no model. */
final class RequestControlRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient RouteContext context;
    private final transient ActiveRequestEndpoints requests;

    RequestControlRoute(RouteContext context, ActiveRequestEndpoints requests) {
        super(
                "/v1/chat/completions/control",
                RoutePurpose.SERVICE,
                Methods.POST,
                context.lifecycle());
        this.context = context;
        this.requests = requests;
    }

    @Override
    boolean readsBody(String method) {
        return method.equals("POST") && context.offeredModels().acceptsRequests();
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        RequestBody body = exchange.admitted().body().orElseThrow(ApiException::loading);
        byte[] bytes = body.take();
        ObjectNode fields =
                context.ingress().work(exchange.owner(), bytes.length, () -> Json.parse(bytes));
        JsonResponse.write(
                exchange.response(), 200, requests.control(fields, exchange.admitted().caller()));
        return RequestOutcome.PLAIN;
    }
}
