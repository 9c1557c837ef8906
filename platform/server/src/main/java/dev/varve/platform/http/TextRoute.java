package dev.varve.platform.http;

import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.conversation.Dialect;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.intake.HeldBody;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BiFunction;

/** A route that turns a body into an object without the engine, such as {@code /tokenize}. */
final class TextRoute extends BodyRoute {
    private static final long serialVersionUID = 1L;

    private final transient BiFunction<Offer.OfferedModel, ObjectNode, JsonNode> use;
    private final Optional<ErrorForm> errors;

    TextRoute(
            String label,
            RouteContext context,
            BiFunction<Offer.OfferedModel, ObjectNode, JsonNode> use) {
        this(label, context, Optional.empty(), use);
    }

    /** A route of a dialect, with the errors of that. */
    TextRoute(
            String label,
            RouteContext context,
            Dialect dialect,
            BiFunction<Offer.OfferedModel, ObjectNode, JsonNode> use) {
        this(
                label,
                context,
                Optional.of(dialect.errors()),
                (model, body) -> {
                    dialect.rules().check(body, context.policy());
                    return use.apply(model, body);
                });
    }

    private TextRoute(
            String label,
            RouteContext context,
            Optional<ErrorForm> errors,
            BiFunction<Offer.OfferedModel, ObjectNode, JsonNode> use) {
        super(label, context);
        this.use = use;
        this.errors = errors;
    }

    @Override
    ErrorForm errors(HttpServletRequest request) {
        return errors.orElseGet(() -> super.errors(request));
    }

    /**
     * The answer is written out beside the engine too: it may be larger than its body, in whose
     * place in memory it then stands.
     */
    @Override
    Outcome answer(Exchange exchange, HeldBody body, Offer.Taken taken, ConnectionProbe probe)
            throws IOException, InterruptedException {
        byte[] answer =
                work(
                        exchange,
                        body,
                        fields -> {
                            new Fields(fields).text("model");
                            return Json.writeBytes(use.apply(taken.model(), fields));
                        });
        JsonAnswer.write(exchange.response(), 200, answer);
        return Outcome.PLAIN;
    }
}
