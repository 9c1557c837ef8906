package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * {@code POST /cache/clear}: clears the prefix cache of all loaded models, except entries of
 * running requests. Accepts no body.
 */
final class CacheClearRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient OfferedModels offer;

    CacheClearRoute(RequestLifecycle cycle, OfferedModels offer) {
        super("/cache/clear", RouteAccess.OPERATION, Methods.POST, cycle);
        this.offer = offer;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        // If one cache cannot be cleared, the others are cleared all the same.
        EngineFutures.await(
                CompletableFuture.allOf(
                        offer.loaded().stream()
                                .map(model -> model.engine().clearCache())
                                .toArray(CompletableFuture<?>[]::new)));
        JsonResponse.write(exchange.response(), 200, Json.object().put("status", "ok"));
        return RequestOutcome.PLAIN;
    }
}
