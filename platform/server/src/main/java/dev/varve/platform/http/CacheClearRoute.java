package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonAnswer;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/**
 * {@code POST /cache/clear}: forgets what was computed for requests that have ended. Takes no body.
 */
final class CacheClearRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient Offer offer;

    CacheClearRoute(RequestCycle cycle, Offer offer) {
        super("/cache/clear", Purpose.OPERATION, Methods.POST, cycle);
        this.offer = offer;
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException, InterruptedException {
        // A model whose cache cannot be cleared does not keep the others from it.
        EngineAnswer.await(
                CompletableFuture.allOf(
                        offer.loaded().stream()
                                .map(model -> model.engine().clearCache())
                                .toArray(CompletableFuture<?>[]::new)));
        JsonAnswer.write(exchange.response(), 200, Json.object().put("status", "ok"));
        return Outcome.PLAIN;
    }
}
