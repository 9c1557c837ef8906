package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.ollama.OllamaModels;
import dev.varve.platform.intake.RequestBody;

import java.io.IOException;
import java.util.Optional;

/** {@code POST /api/show}: describes a model without loading it. */
final class OllamaShowRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient RouteContext context;

    OllamaShowRoute(RouteContext context) {
        super("/api/show", RoutePurpose.SERVICE, Methods.POST, context.lifecycle());
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
        Optional<String> name =
                context.ingress().work(exchange.owner(), bytes.length, () -> name(bytes));
        JsonResponse.write(
                exchange.response(), 200, OllamaModels.show(context.offeredModels().view(name)));
        return RequestOutcome.PLAIN;
    }

    /** Returns the model name; {@code name} is the older field. */
    private static Optional<String> name(byte[] body) {
        RequestFields fields = new RequestFields(Json.parse(body));
        return fields.text("model").or(() -> fields.text("name"));
    }
}
