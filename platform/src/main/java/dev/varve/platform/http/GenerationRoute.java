package dev.varve.platform.http;

import dev.varve.platform.http.answer.AnswerDelivery;
import dev.varve.platform.http.answer.AnswerPreparation;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.conversation.Dialect;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.intake.HeldBody;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.function.BiFunction;

/** A route whose answer the engine generates. */
final class GenerationRoute extends BodyRoute {
    private static final long serialVersionUID = 1L;

    private final transient AnswerDelivery delivery;
    private final transient BiFunction<Offer.OfferedModel, ObjectNode, AnswerPreparation> parse;
    private final ErrorForm errors;

    GenerationRoute(
            String label,
            RouteContext context,
            AnswerDelivery delivery,
            ErrorForm errors,
            BiFunction<Offer.OfferedModel, ObjectNode, AnswerPreparation> parse) {
        super(label, context);
        this.errors = errors;
        this.delivery = delivery;
        this.parse = parse;
    }

    /** A route for conversations in a dialect. */
    GenerationRoute(String label, RouteContext context, AnswerDelivery delivery, Dialect dialect) {
        this(
                label,
                context,
                delivery,
                dialect.errors(),
                (model, body) -> {
                    dialect.rules().check(body, context.policy());
                    return model.answers().read(dialect, body);
                });
    }

    @Override
    ErrorForm errors(HttpServletRequest request) {
        return errors;
    }

    @Override
    Outcome answer(Exchange exchange, HeldBody body, Offer.Taken taken, ConnectionProbe probe)
            throws IOException, InterruptedException {
        AnswerPreparation preparation = work(body, fields -> parse.apply(taken.model(), fields));
        return delivery.deliver(
                gone -> {
                    try {
                        return preparation.prepare(gone);
                    } finally {
                        // The answer may take hours, and nothing of the body is left.
                        body.release();
                    }
                },
                new AnswerDelivery.Source(
                        taken.model().served().engine(), () -> taken.lease().share()::close),
                exchange.admitted().caller(),
                new AnswerDelivery.Client(exchange.request(), exchange.response(), probe));
    }
}
