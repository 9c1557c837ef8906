package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.model.ModelQueries;
import dev.varve.platform.http.model.ServedAdapters;
import dev.varve.platform.intake.RequestBody;

import org.eclipse.jetty.server.Request;

import tools.jackson.databind.JsonNode;

import java.io.IOException;

/**
 * {@code /lora-adapters?model=ID}: {@code GET} lists the LoRA adapters of a model for all callers,
 * {@code POST} sets the scales of later requests that name none, for the operator.
 */
final class LoraAdaptersRoute extends Route {
    private static final long serialVersionUID = 1L;

    private static final String LABEL = "/lora-adapters";

    private final transient OfferedModels offeredModels;
    private final transient Route change;

    LoraAdaptersRoute(RouteContext context) {
        super(LABEL, RoutePurpose.SERVICE, Methods.READ_OR_POST, context.lifecycle());
        offeredModels = context.offeredModels();
        change = new Change(context);
    }

    @Override
    Route of(Request request) {
        return request.getMethod().equals("POST") ? change : this;
    }

    /** Writes the adapters of the requested model; an empty list while it is not loaded. */
    @Override
    RequestOutcome answer(Exchange exchange) throws IOException {
        JsonNode adapters =
                offeredModels
                        .queries(offeredModels.view(RequestedModelName.inQuery(exchange.request())))
                        .map(ModelQueries::adapters)
                        .orElseGet(Json.MAPPER::createArrayNode);
        JsonResponse.write(exchange.response(), 200, adapters);
        return RequestOutcome.PLAIN;
    }

    /** Returns the adapters of the requested model, which must be loaded. */
    static ServedAdapters adapters(RouteContext context, Exchange exchange) {
        return context.offeredModels()
                .view(RequestedModelName.inQuery(exchange.request()))
                .running()
                .orElseThrow(ApiException::loading)
                .served()
                .description()
                .adapters();
    }

    /** Sets the scales of a loaded model. */
    private static final class Change extends Route {
        private static final long serialVersionUID = 1L;

        private final transient RouteContext context;

        Change(RouteContext context) {
            super(LABEL, RoutePurpose.OPERATION, Methods.POST, context.lifecycle());
            this.context = context;
        }

        @Override
        boolean readsBody(String method) {
            return method.equals("POST") && context.offeredModels().acceptsRequests();
        }

        @Override
        RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
            RequestBody body = exchange.admitted().body().orElseThrow(ApiException::loading);
            byte[] bytes = body.take();
            ServedAdapters adapters = adapters(context, exchange);
            JsonNode scales =
                    context.ingress()
                            .work(exchange.owner(), bytes.length, () -> Json.parseArray(bytes));
            adapters.setUsual("adapters", scales);
            JsonResponse.write(exchange.response(), 200, Json.object().put("success", true));
            return RequestOutcome.PLAIN;
        }
    }
}
