package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.answer.HeartbeatStream;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.trace.OpenSpan;
import dev.varve.platform.http.trace.RequestMetadata;
import dev.varve.platform.http.trace.ServerErrorLog;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.intake.IngressException;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * What all routes have in common: who may call, the headers of every answer, the form of errors,
 * and what metrics and the log say. Each request has a virtual thread of its own.
 */
final class RequestLifecycle {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final Pattern REQUEST_ID = Pattern.compile("[\\w.:-]{1,128}");
    private static final String REQUEST = "x-request-id";
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final AccessControl access;
    private final Metrics metrics;
    private final Tracing tracing;
    private final SettingNames names;
    private final ServerErrorLog failures = new ServerErrorLog();

    RequestLifecycle(AccessControl access, Metrics metrics, Tracing tracing, SettingNames names) {
        this.access = access;
        this.metrics = metrics;
        this.tracing = tracing;
        this.names = names;
    }

    /** Where failures of the server itself are logged. */
    ServerErrorLog failures() {
        return failures;
    }

    void run(Route route, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        // Probes come all the time, and nobody wants to see them.
        Tracing.Begun begun =
                route.purpose().isQuiet() ? new Tracing.Begun() : begin(route, request);
        String id = requestId(request);
        response.setHeader(REQUEST, id);
        // The name that Anthropic's clients look for.
        response.setHeader("request-id", id);
        RequestMetadata record = begun.record();
        RequestOutcome outcome = RequestOutcome.FAILED;
        try {
            outcome = outcome(route, request, new DisconnectAwareResponse(response), record);
        } finally {
            end(route, request, response, begun, outcome);
        }
    }

    /** Metrics, trace and log of a request, for every way in which it ends. */
    private void end(
            Route route,
            HttpServletRequest request,
            HttpServletResponse response,
            Tracing.Begun begun,
            RequestOutcome outcome) {
        RequestMetadata record = begun.record();
        metrics.countRequest(
                route.label(),
                response.getStatus(),
                outcome.finishReason().orElse(""),
                record.model());
        record.span().ifPresent(span -> tell(span, response, outcome));
        tracing.end(begun);
        if (!route.purpose().isQuiet()) {
            long millis = (System.nanoTime() - record.begin()) / NANOS_PER_MILLI;
            LOG.log(
                    System.Logger.Level.INFO,
                    "{0} {1} {2} in {3} ms{4}{5}",
                    request.getMethod(),
                    route.label(),
                    Integer.toString(response.getStatus()),
                    Long.toString(millis),
                    outcome.generatedTokens() > 0
                            ? ", " + outcome.generatedTokens() + " tokens"
                            : "",
                    outcome.finishReason().map(reason -> ", " + reason).orElse(""));
        }
    }

    private Tracing.Begun begin(Route route, HttpServletRequest request) {
        Tracing.Begun begun =
                tracing.begin(
                        request.getMethod() + " " + route.label(),
                        Optional.ofNullable(request.getHeader("traceparent")),
                        Optional.ofNullable(request.getHeader("tracestate")));
        begun.record()
                .span()
                .ifPresent(
                        span ->
                                span.put("http.request.method", request.getMethod())
                                        .put("http.route", route.label()));
        return begun;
    }

    private static void tell(OpenSpan span, HttpServletResponse response, RequestOutcome outcome) {
        span.put("http.response.status_code", response.getStatus())
                .put("varve.request_id", response.getHeader(REQUEST));
        outcome.finishReason()
                .filter(reason -> !reason.isEmpty())
                .ifPresent(reason -> span.put("gen_ai.response.finish_reasons", List.of(reason)));
        if (response.getStatus() >= 500) {
            span.fail("status_" + response.getStatus(), System.nanoTime());
        } else if (outcome.equals(RequestOutcome.DISCONNECTED)) {
            span.fail("disconnect", System.nanoTime());
        }
    }

    private static String requestId(HttpServletRequest request) {
        return Optional.ofNullable(request.getHeader(REQUEST))
                .filter(given -> REQUEST_ID.matcher(given).matches())
                .orElseGet(() -> UUID.randomUUID().toString());
    }

    /** The name by which the client of a request knows it. */
    static String idOf(HttpServletResponse response) {
        return Optional.ofNullable(response.getHeader(REQUEST)).orElse("");
    }

    private RequestOutcome outcome(
            Route route,
            HttpServletRequest request,
            HttpServletResponse response,
            RequestMetadata record)
            throws IOException {
        ErrorForm form = route.errors(request);
        try {
            return told(() -> answer(route, request, response, record), form, request, response);
        } catch (ClientGoneException e) {
            metrics.countDisconnect();
            return RequestOutcome.DISCONNECTED;
        }
    }

    /** What answers a request. */
    private interface Answer {
        RequestOutcome give() throws IOException, InterruptedException;
    }

    /** Tells the client of an answer that fails. */
    private RequestOutcome told(
            Answer answer, ErrorForm form, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        ApiException error;
        try {
            return answer.give();
        } catch (ApiException e) {
            error = e;
        } catch (VarveException e) {
            error = ApiException.of(e);
        } catch (IngressException e) {
            error = ApiException.of(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            error = ApiException.draining();
        } catch (ClientGoneException e) {
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            failures.log(idOf(response), e);
            error = ApiException.internal();
        }
        Optional<HeartbeatStream> stream =
                HeartbeatStream.of(request).filter(HeartbeatStream::hasBegun);
        if (stream.isPresent()) {
            stream.get().fail(error, names);
            return RequestOutcome.FAILED;
        }
        fail(form, response, error);
        return RequestOutcome.PLAIN;
    }

    private RequestOutcome answer(
            Route route,
            HttpServletRequest request,
            HttpServletResponse response,
            RequestMetadata record)
            throws IOException, InterruptedException {
        access.allowOrigin(request, response);
        AdmissionDecision.Admitted admitted = admitted(request, response);
        String method = request.getMethod();
        if (method.equals("OPTIONS")) {
            response.setStatus(204);
            return RequestOutcome.PLAIN;
        }
        if (!route.methods().contain(method)) {
            response.setHeader("Allow", route.methods().allow());
            throw ApiException.status(405, "", route.name(request) + " does not take " + method);
        }
        return route.answer(new Exchange(request, response, admitted, record));
    }

    private static AdmissionDecision.Admitted admitted(
            HttpServletRequest request, HttpServletResponse response) throws IOException {
        return switch (AdmissionDecision.of(request)) {
            case AdmissionDecision.Admitted admitted -> admitted;
            case AdmissionDecision.Refused refused -> {
                if (refused.endsConnection()) {
                    response.setHeader("Connection", "close");
                }
                throw refused.reason();
            }
            case AdmissionDecision.Gone gone -> throw new ClientGoneException();
        };
    }

    private void fail(ErrorForm form, HttpServletResponse response, ApiException error)
            throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        error.retryAfterSeconds()
                .ifPresent(seconds -> response.setHeader("Retry-After", Integer.toString(seconds)));
        if (error.isFinal()) {
            // Anthropic's clients know this header. With a wrong key Claude Code would otherwise
            // ask
            // for minutes before it says so.
            response.setHeader("x-should-retry", "false");
        }
        JsonResponse.write(response, error.status(), form.body(error, names, idOf(response)));
    }
}
