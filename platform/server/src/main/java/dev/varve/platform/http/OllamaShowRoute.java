package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.http.ollama.OllamaModels;
import dev.varve.platform.intake.HeldBody;

import java.io.IOException;
import java.util.Optional;

/** {@code POST /api/show}: describes a model without loading it. */
final class OllamaShowRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient RouteContext context;

    OllamaShowRoute(RouteContext context) {
        super("/api/show", Purpose.SERVICE, Methods.POST, context.cycle());
        this.context = context;
    }

    @Override
    boolean readsBody(String method) {
        return method.equals("POST") && context.offer().takesWork();
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException, InterruptedException {
        HeldBody body = exchange.admitted().body().orElseThrow(ApiException::loading);
        byte[] bytes = body.take();
        Optional<String> name =
                context.intake().work(exchange.owner(), bytes.length, () -> name(bytes));
        JsonAnswer.write(exchange.response(), 200, OllamaModels.show(context.offer().view(name)));
        return Outcome.PLAIN;
    }

    /** {@code name} is the older one. */
    private static Optional<String> name(byte[] body) {
        Fields fields = new Fields(Json.parse(body));
        return fields.text("model").or(() -> fields.text("name"));
    }
}
