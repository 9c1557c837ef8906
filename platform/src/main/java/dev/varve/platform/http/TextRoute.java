package dev.varve.platform.http;

import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.intake.HeldBody;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.function.BiFunction;

/** A route that turns a body into an object without the engine, such as {@code /tokenize}. */
final class TextRoute extends BodyRoute {
    private static final long serialVersionUID = 1L;

    private final transient BiFunction<Offer.OfferedModel, ObjectNode, ObjectNode> use;

    TextRoute(
            String label,
            RouteContext context,
            BiFunction<Offer.OfferedModel, ObjectNode, ObjectNode> use) {
        super(label, context);
        this.use = use;
    }

    /**
     * The answer is written out beside the engine too: it may be larger than its body, in whose
     * place in memory it then stands.
     */
    @Override
    Outcome answer(Exchange exchange, HeldBody body, Offer.OfferedModel model)
            throws IOException, InterruptedException {
        byte[] answer = work(body, fields -> Json.writeBytes(use.apply(model, fields)));
        JsonAnswer.write(exchange.response(), 200, answer);
        return Outcome.PLAIN;
    }
}
