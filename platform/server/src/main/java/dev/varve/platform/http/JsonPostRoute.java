package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.trace.OpenSpan;
import dev.varve.platform.http.trace.RequestMetadata;
import dev.varve.platform.intake.RequestBody;
import dev.varve.platform.intake.RequestIngress;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/** A route that takes a JSON object with POST and has it worked on beside the engine. */
abstract class JsonPostRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient OfferedModels offer;
    private final transient RequestIngress intake;

    JsonPostRoute(String label, RouteContext context) {
        super(label, RouteAccess.SERVICE, Methods.POST, context.cycle());
        offer = context.offer();
        intake = context.intake();
    }

    @Override
    final boolean readsBody(String method) {
        return method.equals("POST") && offer.takesWork();
    }

    @Override
    final RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        boolean choice = offer.isChoice();
        // The model may be ready since it was settled that the body is not wanted.
        RequestBody body = exchange.admitted().body().orElseThrow(ApiException::loading);
        Optional<String> name =
                choice
                        ? intake.work(
                                exchange.owner(),
                                body.length(),
                                () -> body.look(RequestedModel::in))
                        : Optional.empty();
        try (ConnectionProbe probe = new ConnectionProbe(exchange.request());
                OfferedModels.Taken taken =
                        take(
                                name,
                                patience(exchange, body, probe, () -> offer.idOf(name)),
                                exchange.record())) {
            RequestOutcome outcome = answer(exchange, body, taken, probe);
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
            Exchange exchange, RequestBody body, ConnectionProbe probe, Supplier<String> model) {
        return probe::isGone;
    }

    private OfferedModels.Taken take(
            Optional<String> name, BooleanSupplier gone, RequestMetadata record)
            throws IOException, InterruptedException {
        Optional<OpenSpan> span = record.child("model");
        try {
            OfferedModels.Taken taken = offer.take(name, gone);
            record.servedBy(taken.model().served().description().id());
            return taken;
        } finally {
            span.ifPresent(each -> each.end(System.nanoTime()));
        }
    }

    /** {@code probe}: tells whether the client went away. */
    abstract RequestOutcome answer(
            Exchange exchange, RequestBody body, OfferedModels.Taken taken, ConnectionProbe probe)
            throws IOException, InterruptedException;

    /** What a body becomes, worked out beside the engine. */
    final <T> T work(Exchange exchange, RequestBody body, Function<ObjectNode, T> use)
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
