package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.trace.OpenSpan;
import dev.varve.platform.http.trace.RequestRecord;
import dev.varve.platform.intake.HeldBody;
import dev.varve.platform.intake.Intake;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** A route that takes a JSON object with POST and has it worked on beside the engine. */
abstract class BodyRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient Offer offer;
    private final transient Intake intake;

    BodyRoute(String label, RouteContext context) {
        super(label, Purpose.SERVICE, Methods.POST, context.cycle());
        offer = context.offer();
        intake = context.intake();
    }

    @Override
    final boolean readsBody(String method) {
        return method.equals("POST") && offer.takesWork();
    }

    @Override
    final Outcome answer(Exchange exchange) throws IOException, InterruptedException {
        boolean choice = offer.isChoice();
        // The model may be ready since it was settled that the body is not wanted.
        HeldBody body = exchange.admitted().body().orElseThrow(ApiException::loading);
        Optional<String> name =
                choice
                        ? intake.work(
                                exchange.owner(),
                                body.length(),
                                () -> body.look(RequestedModel::in))
                        : Optional.empty();
        try (ConnectionProbe probe = new ConnectionProbe(exchange.request());
                Offer.Taken taken =
                        take(
                                name,
                                patience(exchange, body, probe, () -> offer.idOf(name)),
                                exchange.record())) {
            Outcome outcome = answer(exchange, body, taken, probe);
            if (probe.mustClose()) {
                // The connection ends with the probe; the answer must be out by then.
                exchange.response().flushBuffer();
            }
            return outcome;
        }
    }

    /**
     * Whether the client went away, asked as long as it waits for its model.
     *
     * @param body which is not taken yet
     * @param model id of the model
     */
    BooleanSupplier patience(
            Exchange exchange, HeldBody body, ConnectionProbe probe, Supplier<String> model) {
        return probe::isGone;
    }

    private Offer.Taken take(Optional<String> name, BooleanSupplier gone, RequestRecord record)
            throws IOException, InterruptedException {
        Optional<OpenSpan> span = record.child("model");
        try {
            Offer.Taken taken = offer.take(name, gone);
            record.servedBy(taken.model().served().description().id());
            return taken;
        } finally {
            span.ifPresent(each -> each.end(System.nanoTime()));
        }
    }

    /** {@code probe}: tells whether the client went away. */
    abstract Outcome answer(
            Exchange exchange, HeldBody body, Offer.Taken taken, ConnectionProbe probe)
            throws IOException, InterruptedException;

    /** What a body becomes, worked out beside the engine. */
    final <T> T work(Exchange exchange, HeldBody body, Function<ObjectNode, T> use)
            throws InterruptedException {
        byte[] bytes = body.take();
        return intake.work(
                exchange.owner(),
                bytes.length,
                () -> {
                    ObjectNode fields = Json.parse(bytes);
                    offer.requireKnown(fields);
                    return use.apply(fields);
                });
    }
}
