package dev.varve.platform.http;

import dev.varve.platform.embedding.EncoderEngine;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.PendingPreparation;
import dev.varve.platform.http.answer.PreResponseHeartbeats;
import dev.varve.platform.http.answer.PreparedRequest;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.answer.ResponseDelivery;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.JsonFieldScanner;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.trace.OpenSpan;
import dev.varve.platform.intake.RequestBody;

import jakarta.servlet.http.HttpServletRequest;

import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A route whose response the engine generates. */
final class GenerationRoute extends JsonPostRoute {
    private static final long serialVersionUID = 1L;

    private final transient ResponseDelivery delivery;
    private final transient BiFunction<
                    OfferedModels.ModelWithReaders, ObjectNode, PendingPreparation>
            parse;
    private final ErrorForm errors;
    private final transient HeartbeatFormat.Maker early;

    /** Returns a response that needs no engine, or empty. */
    private transient BiFunction<OfferedModels.ModelWithReaders, ObjectNode, Optional<ObjectNode>>
            plain = (model, body) -> Optional.empty();

    GenerationRoute(
            String label,
            RouteContext context,
            ResponseDelivery delivery,
            ErrorForm errors,
            HeartbeatFormat.Maker early,
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, PendingPreparation> parse) {
        super(label, context);
        this.errors = errors;
        this.early = early;
        this.delivery = delivery;
        this.parse = parse;
    }

    /** Makes a route for conversations in a dialect. */
    GenerationRoute(
            String label,
            RouteContext context,
            ResponseDelivery delivery,
            HeartbeatFormat.Maker early,
            ApiDialect dialect) {
        this(
                label,
                context,
                delivery,
                dialect.errors(),
                early,
                (model, body) -> {
                    dialect.rules().check(body, context.policy());
                    return model.preparer().read(dialect, body);
                });
    }

    /**
     * Sets the function that returns responses to bodies for which nothing is generated; call
     * before the route is used.
     */
    GenerationRoute withoutGeneration(
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, Optional<ObjectNode>> answers) {
        plain = answers;
        return this;
    }

    /** Result of reading a body: a response at once, or a request to generate. */
    private sealed interface ParsedBody {
        record ImmediateResponse(ObjectNode response) implements ParsedBody {}

        record UnsubmittedGeneration(PendingPreparation preparation) implements ParsedBody {}
    }

    private ParsedBody parsed(OfferedModels.ModelWithReaders model, ObjectNode body) {
        if (!model.served().generates()) {
            throw ApiException.invalid(
                    "model", EncoderEngine.refusal(model.served().description().id()));
        }
        Optional<ObjectNode> answer = plain.apply(model, body);
        return answer.isPresent()
                ? new ParsedBody.ImmediateResponse(answer.get())
                : new ParsedBody.UnsubmittedGeneration(parse.apply(model, body));
    }

    @Override
    ErrorForm errors(HttpServletRequest request) {
        return errors;
    }

    @Override
    BooleanSupplier disconnectCheck(
            Exchange exchange, RequestBody body, ConnectionProbe probe, Supplier<String> model) {
        HeartbeatFormat form = early.of(model);
        PreResponseHeartbeats heartbeats =
                new PreResponseHeartbeats(exchange.response(), probe::isDisconnected, form)
                        .attachedTo(exchange.request());
        return () ->
                heartbeats.isDisconnected(() -> body.peek(bytes -> streams(bytes, form.isUsual())));
    }

    @Override
    RequestOutcome answer(
            Exchange exchange,
            RequestBody body,
            OfferedModels.AcquiredModel acquired,
            ConnectionProbe probe)
            throws IOException, InterruptedException {
        Optional<OpenSpan> span = exchange.traceContext().child("prepare");
        return switch (work(exchange, body, fields -> parsed(acquired.model(), fields))) {
            case ParsedBody.ImmediateResponse(ObjectNode answer) -> {
                JsonResponse.write(exchange.response(), 200, answer);
                yield RequestOutcome.PLAIN;
            }
            case ParsedBody.UnsubmittedGeneration(PendingPreparation preparation) ->
                    deliver(
                            traced(preparation, span)
                                    .andThen(
                                            () -> {
                                                span.ifPresent(each -> each.end(System.nanoTime()));
                                                // Generation may take hours, and the body is no
                                                // longer needed.
                                                body.release();
                                            }),
                            exchange,
                            acquired,
                            probe);
        };
    }

    private RequestOutcome deliver(
            PendingPreparation preparation,
            Exchange exchange,
            OfferedModels.AcquiredModel acquired,
            ConnectionProbe probe)
            throws IOException, InterruptedException {
        return delivery.deliver(
                preparation,
                new ResponseDelivery.GeneratingModel(
                        acquired.model().served(), () -> acquired.lease().share()::close),
                exchange.admitted().caller(),
                new ResponseDelivery.Client(
                        exchange.request(),
                        exchange.response(),
                        label(),
                        RequestLifecycle.idOf(exchange.response()),
                        probe,
                        exchange.traceContext()));
    }

    private static PendingPreparation traced(
            PendingPreparation preparation, Optional<OpenSpan> span) {
        return span.map(
                        each ->
                                new PendingPreparation(
                                        preparation.delivery(),
                                        disconnected -> {
                                            PreparedRequest pending =
                                                    preparation.work().prepare(disconnected);
                                            recordCompression(pending, each);
                                            return pending;
                                        }))
                .orElse(preparation);
    }

    private static void recordCompression(PreparedRequest pending, OpenSpan span) {
        pending.compression()
                .ifPresent(
                        report ->
                                span.put("varve.pflash.input_tokens", report.promptTokens())
                                        .put("varve.pflash.kept_tokens", report.effectiveTokens())
                                        .put("varve.pflash.ms", report.times().millis()));
    }

    /** Returns whether a body that is not parsed yet requests a stream. */
    private static boolean streams(byte[] body, boolean usual) {
        return JsonFieldScanner.field(
                        body,
                        "stream",
                        value -> Optional.of(value.currentToken() == JsonToken.VALUE_TRUE))
                .orElse(usual);
    }
}
