package dev.varve.platform.http;

import dev.varve.platform.http.answer.AnswerDelivery;
import dev.varve.platform.http.answer.AnswerPreparation;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.intake.HeldBody;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.function.BiFunction;

/** A route whose answer the engine generates. */
final class GenerationRoute extends BodyRoute {
    private static final long serialVersionUID = 1L;

    private final transient AnswerDelivery delivery;
    private final transient BiFunction<Offer.OfferedModel, ObjectNode, AnswerPreparation> parse;

    GenerationRoute(
            String label,
            RouteContext context,
            AnswerDelivery delivery,
            BiFunction<Offer.OfferedModel, ObjectNode, AnswerPreparation> parse) {
        super(label, context);
        this.delivery = delivery;
        this.parse = parse;
    }

    @Override
    Outcome answer(Exchange exchange, HeldBody body, Offer.OfferedModel model)
            throws IOException, InterruptedException {
        AnswerPreparation preparation = work(body, fields -> parse.apply(model, fields));
        return delivery.deliver(
                gone -> {
                    try {
                        return preparation.prepare(gone);
                    } finally {
                        // The answer may take hours, and nothing of the body is left.
                        body.release();
                    }
                },
                model.served().engine(),
                exchange.admitted().caller().scope(),
                exchange.request(),
                exchange.response());
    }
}
