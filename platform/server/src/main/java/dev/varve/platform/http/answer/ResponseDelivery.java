package dev.varve.platform.http.answer;

import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.live.ActiveRequest;
import dev.varve.platform.http.live.ActiveRequests;
import dev.varve.platform.http.metrics.GenerationLatencyRecorder;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.metrics.OrcaLoadReport;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.resume.ResumableStream;
import dev.varve.platform.http.resume.ResumableStreamStore;
import dev.varve.platform.http.resume.ResumePolicy;
import dev.varve.platform.http.trace.RequestContext;
import dev.varve.platform.http.trace.ServerErrorLog;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Submits prepared requests to the engine and delivers the responses to the clients. */
public final class ResponseDelivery {
    private static final String COMPRESSED = "x-prompt-compressed";

    private final Metrics metrics;
    private final SettingNames names;
    private final ResumableStreamStore streams;
    private final ResumePolicy resumePolicy;
    private final ActiveRequests activeRequests;
    private final ServerErrorLog failures;

    /**
     * Makes a delivery that records its times in {@code metrics}.
     *
     * @param names names of settings in error messages
     * @param streams stores resumable streams
     * @param resumePolicy decides which streams are resumable
     * @param activeRequests registry of active requests
     * @param failures log for failures of the server itself
     */
    public ResponseDelivery(
            Metrics metrics,
            SettingNames names,
            ResumableStreamStore streams,
            ResumePolicy resumePolicy,
            ActiveRequests activeRequests,
            ServerErrorLog failures) {
        this.failures = failures;
        this.metrics = metrics;
        this.names = names;
        this.streams = streams;
        this.resumePolicy = resumePolicy;
        this.activeRequests = activeRequests;
    }

    /**
     * The model that generates a response.
     *
     * @param model model whose engine generates
     * @param retain keeps the model loaded for a response that outlives its request, until the
     *     returned runnable is run
     */
    public record GeneratingModel(ServedModel model, Supplier<Runnable> retain) {
        Engine engine() {
            return model.engine();
        }
    }

    /**
     * The client that receives a response.
     *
     * @param route label of the request's route
     * @param requestId id of the request that the client received
     * @param probe detects that the client disconnected
     * @param traceContext metadata of the request
     */
    public record Client(
            HttpServletRequest request,
            HttpServletResponse response,
            String route,
            String requestId,
            ConnectionProbe probe,
            RequestContext traceContext) {
        /** Adds the engine's load to the response headers, if the client requested it. */
        private void addLoadReport(Engine engine) {
            Optional.ofNullable(request.getHeader(OrcaLoadReport.FORMAT))
                    .flatMap(format -> OrcaLoadReport.of(engine.status(), format))
                    .ifPresent(report -> response.setHeader(OrcaLoadReport.HEADER, report));
        }
    }

    /**
     * Generates a response and writes it, until it ends or its client disconnects. A resumable
     * stream continues for a while without its client.
     *
     * @param caller caller whose cached prefixes the request may use
     * @throws IOException if the client disconnected
     * @throws ApiException if, before the first byte is written, the engine refuses the request or
     *     fails, or another caller cancels the request
     */
    public RequestOutcome deliver(
            PendingPreparation preparation, GeneratingModel source, Caller caller, Client client)
            throws IOException, InterruptedException {
        // Before submission too: rejected clients need the load report most.
        client.addLoadReport(source.engine());
        Optional<PreResponseHeartbeats> early = PreResponseHeartbeats.of(client.request());
        ActiveRequest active =
                activeRequests.begin(
                        new ActiveRequest.RequestIdentity(
                                source.model().description().id(),
                                client.route(),
                                client.requestId()),
                        caller);
        Optional<ResumableStream> kept = Optional.empty();
        try {
            PreparedRequest pending =
                    prepared(
                            preparation,
                            () ->
                                    early.map(
                                                    heartbeats ->
                                                            heartbeats.isDisconnected(
                                                                    preparation::streams))
                                            .orElseGet(client.probe()::isDisconnected),
                            active,
                            metrics.of(client.traceContext().model()));
            pending.compression()
                    .ifPresent(
                            report ->
                                    reportCompression(
                                            report,
                                            client.traceContext().model(),
                                            client.response(),
                                            metrics));
            PreparedResponse pendingResponse =
                    new PreparedResponse(pending, source, caller, active, client.traceContext());
            // A stream that began without its id header cannot be resumed.
            kept =
                    early.filter(PreResponseHeartbeats::hasBegun).isEmpty()
                                    && isResumable(pending, client.request())
                            ? openStream(pendingResponse, client.requestId())
                            : Optional.empty();
            if (kept.isEmpty()) {
                early.filter(PreResponseHeartbeats::hasBegun)
                        .ifPresent(heartbeats -> pending.format().follow(heartbeats.form()));
                return write(pendingResponse, client);
            }
        } finally {
            if (kept.isEmpty()) {
                active.close();
            }
        }
        client.addLoadReport(source.engine());
        return new ResumableStreamSender(kept.get(), client.probe(), client.response()).deliver(0);
    }

    /** A prepared request with its model, its caller and its entry among the active requests. */
    private record PreparedResponse(
            PreparedRequest pending,
            GeneratingModel source,
            Caller caller,
            ActiveRequest active,
            RequestContext traceContext) {
        /** Submits the choices to the engine. */
        void submit(ChoiceEventQueue choices) {
            CacheScope scope = pending.cache().within(caller.scope());
            choices.submit(source.engine(), scope, pending.choices(), pending.ended());
            active.setExecution(
                    new ActiveRequest.Execution(
                            choices.generations(),
                            scope,
                            this::excerpt,
                            choices::cancel,
                            pending.format().id(),
                            this::endReasoning));
        }

        private void endReasoning() {
            pending.choices().forEach(choice -> choice.reader().endReasoning());
        }

        private String excerpt() {
            return PromptExcerpt.of(
                    pending.choices().getFirst().request().prompt(),
                    source.model().textProcessing().tokenizer());
        }
    }

    private boolean isResumable(PreparedRequest pending, HttpServletRequest request) {
        return pending.delivery() != ResponseMode.WHOLE
                && pending.format().stream() == StreamKind.SSE
                && resumePolicy.isResumable(
                        Optional.ofNullable(request.getHeader(ResumePolicy.HEADER)));
    }

    /** Generates a response into a resumable stream; empty if the store has no room for it. */
    private Optional<ResumableStream> openStream(
            PreparedResponse pendingResponse, String requestId) {
        PreparedRequest pending = pendingResponse.pending();
        RequestContext traceContext = pendingResponse.traceContext();
        ChoiceEventQueue choices =
                new ChoiceEventQueue(
                        pending.choices().size(),
                        metrics.of(traceContext.model()),
                        traceContext,
                        () -> {});
        StreamEvent heartbeat =
                pending.format().waitsInOrder()
                        ? new StreamEvent.Comment("keep-alive")
                        : pending.format().waiting();
        Optional<ResumableStream> stream =
                streams.open(
                        pendingResponse.caller().owner(),
                        SseWriter.text(heartbeat),
                        choices::close);
        stream.ifPresent(
                each -> {
                    try {
                        pendingResponse.submit(choices);
                    } catch (RuntimeException | Error e) {
                        streams.cancel(each);
                        throw e;
                    }
                    Runnable held = pendingResponse.source().retain().get();
                    Runnable release =
                            () -> {
                                pendingResponse.active().close();
                                held.run();
                            };
                    Thread.ofVirtual()
                            .name("varve-stream")
                            .start(
                                    new ResumableResponseWriter(
                                            each,
                                            choices,
                                            pending,
                                            names,
                                            release,
                                            failure -> failures.log(requestId, failure)));
                });
        return stream;
    }

    private RequestOutcome write(PreparedResponse pendingResponse, Client client)
            throws IOException, InterruptedException {
        PreparedRequest pending = pendingResponse.pending();
        int count = pending.choices().size();
        GenerationLatencyRecorder times = metrics.of(pendingResponse.traceContext().model());
        try (ChoiceEventQueue choices =
                new ChoiceEventQueue(
                        count, times, pendingResponse.traceContext(), client.probe()::abort)) {
            pendingResponse.submit(choices);
            return new ResponseWriter(
                            new ResponseWriter.ResponseRecipient(
                                    client.response(),
                                    client.probe()::isDisconnected,
                                    names,
                                    () -> client.addLoadReport(pendingResponse.source().engine()),
                                    failure -> failures.log(client.requestId(), failure)),
                            pending.format(),
                            pending.delivery())
                    .write(choices, count);
        }
    }

    private static PreparedRequest prepared(
            PendingPreparation preparation,
            BooleanSupplier disconnected,
            ActiveRequest active,
            GenerationLatencyRecorder times)
            throws IOException {
        try {
            return preparation
                    .work()
                    .prepare(() -> active.isCancelled() || disconnected.getAsBoolean());
        } catch (CancellationException e) {
            times.countCancelled(GenerationLatencyRecorder.Stage.PREPARE);
            if (active.isCancelled()) {
                throw ApiException.cancelled();
            }
            throw new ClientGoneException(e);
        }
    }

    /** Reports the compression of a prompt to the client, in a header, and to the metrics. */
    public static void reportCompression(
            CompressionReport report, String model, HttpServletResponse response, Metrics metrics) {
        response.setHeader(COMPRESSED, "1");
        metrics.countCompression(report, model);
    }
}
