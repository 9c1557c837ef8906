package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedAdapters;
import dev.varve.platform.intake.RequestBody;

import java.io.IOException;

/**
 * {@code POST /lora-adapters/add?model=ID} with {@code {"path": "a.gguf", "scale": 0.5}}: loads a
 * LoRA adapter while the model runs, for the operator. The response is its entry in the list of
 * {@link LoraAdaptersRoute}.
 */
final class LoraAdapterAddRoute extends Route {
    private static final long serialVersionUID = 1L;

    private static final String PATH = "path";

    private final transient RouteContext context;

    LoraAdapterAddRoute(RouteContext context) {
        super("/lora-adapters/add", RoutePurpose.OPERATION, Methods.POST, context.lifecycle());
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
        ServedAdapters adapters = LoraAdaptersRoute.adapters(context, exchange);
        RequestFields fields =
                new RequestFields(
                        context.ingress()
                                .work(exchange.owner(), bytes.length, () -> Json.parse(bytes)));
        String path =
                fields.text(PATH).orElseThrow(() -> ApiException.invalid(PATH, PATH + ": missing"));
        float scale = ServedAdapters.scale(fields);
        ServedAdapters.Added added = add(adapters, path, scale);
        JsonResponse.write(
                exchange.response(),
                200,
                Json.object().put("id", added.id()).put(PATH, added.path()).put("scale", scale));
        return RequestOutcome.PLAIN;
    }

    /** A file that does not fit is a mistake of the client, not of the server. */
    private static ServedAdapters.Added add(ServedAdapters adapters, String path, float scale) {
        try {
            return adapters.add(path, scale);
        } catch (VarveException e) {
            throw switch (e.kind()) {
                case UNSUPPORTED_MODEL, CORRUPT_FILE, UNREADABLE_FILE, INVALID_REQUEST ->
                        ApiException.invalid(PATH, e.getMessage());
                default -> e;
            };
        }
    }
}
