package dev.varve.platform.http;

import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.intake.RequestBody;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BiFunction;

/** A route that turns a body into an object without the engine, such as {@code /tokenize}. */
final class TextProcessingRoute extends JsonPostRoute {
    private static final long serialVersionUID = 1L;

    private final transient BiFunction<OfferedModels.ModelWithReaders, ObjectNode, JsonNode> use;
    private final Optional<ErrorForm> errors;

    TextProcessingRoute(
            String label,
            RouteContext context,
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, JsonNode> use) {
        this(label, context, Optional.empty(), use);
    }

    /** Makes a route of a dialect, with that dialect's error form. */
    TextProcessingRoute(
            String label,
            RouteContext context,
            ApiDialect dialect,
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, JsonNode> use) {
        this(
                label,
                context,
                Optional.of(dialect.errors()),
                (model, body) -> {
                    dialect.rules().check(body, context.policy());
                    return use.apply(model, body);
                });
    }

    private TextProcessingRoute(
            String label,
            RouteContext context,
            Optional<ErrorForm> errors,
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, JsonNode> use) {
        super(label, context);
        this.use = use;
        this.errors = errors;
    }

    @Override
    ErrorForm errors(HttpServletRequest request) {
        return errors.orElseGet(() -> super.errors(request));
    }

    /**
     * Serializes the response beside the engine too: it may be larger than the request body, and
     * takes that body's share of memory.
     */
    @Override
    RequestOutcome answer(
            Exchange exchange,
            RequestBody body,
            OfferedModels.AcquiredModel acquired,
            ConnectionProbe probe)
            throws IOException, InterruptedException {
        byte[] answer =
                work(
                        exchange,
                        body,
                        fields -> {
                            new RequestFields(fields).text("model");
                            return Json.writeBytes(use.apply(acquired.model(), fields));
                        });
        JsonResponse.write(exchange.response(), 200, answer);
        return RequestOutcome.PLAIN;
    }
}
