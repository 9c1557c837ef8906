package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.trace.OpenSpan;
import dev.varve.platform.http.trace.RequestContext;
import dev.varve.platform.intake.RequestBody;
import dev.varve.platform.intake.RequestIngress;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A route that accepts a JSON object with POST and processes it on worker threads of the ingress,
 * beside the engine.
 */
abstract class JsonPostRoute extends Route {
    private static final long serialVersionUID = 1L;

    private final transient OfferedModels offeredModels;
    private final transient RequestIngress ingress;

    JsonPostRoute(String label, RouteContext context) {
        super(label, RoutePurpose.SERVICE, Methods.POST, context.lifecycle());
        offeredModels = context.offeredModels();
        ingress = context.ingress();
    }

    @Override
    final boolean readsBody(String method) {
        return method.equals("POST") && offeredModels.acceptsRequests();
    }

    @Override
    final RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        boolean hasSeveralModels = offeredModels.hasSeveralModels();
        // The model may have become ready after it was decided not to read the body.
        RequestBody body = exchange.admitted().body().orElseThrow(ApiException::loading);
        Optional<String> name =
                hasSeveralModels
                        ? ingress.work(
                                exchange.owner(),
                                body.length(),
                                () -> body.peek(RequestedModelName::in))
                        : Optional.empty();
        try (ConnectionProbe probe = new ConnectionProbe(exchange.request());
                OfferedModels.AcquiredModel acquired =
                        acquire(
                                name,
                                disconnectCheck(
                                        exchange, body, probe, () -> offeredModels.idOf(name)),
                                exchange.traceContext())) {
            RequestOutcome outcome = answer(exchange, body, acquired, probe);
            if (probe.mustClose()) {
                // Closing the probe ends the connection; flush the response before that.
                exchange.response().flushBuffer();
            }
            return outcome;
        }
    }

    /**
     * Returns a check whether the client disconnected; it is called while the client waits for its
     * model.
     *
     * @param body not taken yet
     * @param model id of the model
     */
    BooleanSupplier disconnectCheck(
            Exchange exchange, RequestBody body, ConnectionProbe probe, Supplier<String> model) {
        return probe::isDisconnected;
    }

    private OfferedModels.AcquiredModel acquire(
            Optional<String> name, BooleanSupplier disconnected, RequestContext traceContext)
            throws IOException, InterruptedException {
        Optional<OpenSpan> span = traceContext.child("model");
        try {
            OfferedModels.AcquiredModel acquired = offeredModels.acquire(name, disconnected);
            traceContext.servedBy(acquired.model().served().description().id());
            return acquired;
        } finally {
            span.ifPresent(each -> each.end(System.nanoTime()));
        }
    }

    /**
     * Handles a request with its body and its model; {@code probe} detects that the client
     * disconnected.
     */
    abstract RequestOutcome answer(
            Exchange exchange,
            RequestBody body,
            OfferedModels.AcquiredModel acquired,
            ConnectionProbe probe)
            throws IOException, InterruptedException;

    /** Parses a body and applies {@code use} to it, beside the engine. */
    final <T> T work(Exchange exchange, RequestBody body, Function<ObjectNode, T> use)
            throws InterruptedException {
        byte[] bytes = body.take();
        return ingress.work(
                exchange.owner(),
                bytes.length,
                () -> {
                    ObjectNode fields = Json.parse(bytes);
                    offeredModels.requireKnown(fields);
                    return use.apply(fields);
                });
    }
}
