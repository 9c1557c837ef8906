package dev.varve.platform.http;

import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.intake.HeldBody;
import dev.varve.platform.intake.Intake;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.function.BiFunction;

/** A route whose answer the engine generates. */
final class GenerationRoute extends BodyRoute {
    private static final long serialVersionUID = 1L;

    private final transient Metrics metrics;
    private final transient BiFunction<Offer.OfferedModel, ObjectNode, PendingAnswer> parse;

    GenerationRoute(
            String label,
            RequestCycle cycle,
            Offer offer,
            Intake intake,
            Metrics metrics,
            BiFunction<Offer.OfferedModel, ObjectNode, PendingAnswer> parse) {
        super(label, cycle, offer, intake);
        this.metrics = metrics;
        this.parse = parse;
    }

    @Override
    Outcome answer(Exchange exchange, HeldBody body, Offer.OfferedModel model)
            throws IOException, InterruptedException {
        PendingAnswer pending = work(body, fields -> parse.apply(model, fields));
        // The answer may take hours, and nothing of the body is left.
        body.release();
        int count = pending.choices().size();
        try (ConnectionProbe probe = new ConnectionProbe(exchange.request());
                Choices choices = new Choices(count, metrics, probe::abort)) {
            choices.submit(
                    model.served().engine(),
                    exchange.admitted().caller().scope(),
                    pending.choices());
            Outcome outcome =
                    new AnswerWriter(exchange.response(), probe, pending.format(), pending.call())
                            .write(choices, count);
            if (probe.mustClose()) {
                // The connection ends with the probe; the answer must be out by then.
                exchange.response().flushBuffer();
            }
            return outcome;
        }
    }
}
