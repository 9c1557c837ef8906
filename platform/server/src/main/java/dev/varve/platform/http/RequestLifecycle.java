package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.answer.PreResponseHeartbeats;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.trace.OpenSpan;
import dev.varve.platform.http.trace.RequestContext;
import dev.varve.platform.http.trace.ServerErrorLog;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.intake.IngressException;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * Runs the steps that all routes share: access, response headers, error form, metrics and the log.
 * Each request has a virtual thread of its own.
 */
final class RequestLifecycle {
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

    /** Returns the log for failures of the server itself. */
    ServerErrorLog failures() {
        return failures;
    }

    void run(Route route, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        // Probes are too frequent to trace.
        Tracing.StartedRequest begun =
                route.purpose().isUnlogged() ? new Tracing.StartedRequest() : begin(route, request);
        String id =
                RequestId.put(
                        Optional.ofNullable(request.getHeader(RequestId.HEADER)),
                        response::setHeader);
        RequestContext traceContext = begun.traceContext();
        RequestOutcome outcome = RequestOutcome.FAILED;
        try {
            outcome = outcome(route, request, new DisconnectAwareResponse(response), traceContext);
        } finally {
            end(route, request, new RequestLog.Response(response.getStatus(), id), begun, outcome);
        }
    }

    /** Records metrics, trace and log of a request, however it ends. */
    private void end(
            Route route,
            HttpServletRequest request,
            RequestLog.Response response,
            Tracing.StartedRequest begun,
            RequestOutcome outcome) {
        RequestContext traceContext = begun.traceContext();
        metrics.countRequest(
                route.label(),
                response.status(),
                outcome.finishReason().orElse(""),
                traceContext.model());
        traceContext.span().ifPresent(span -> recordResponse(span, response, outcome));
        tracing.end(begun);
        RequestLog.log(route, request, response, traceContext, outcome, names);
    }

    private Tracing.StartedRequest begin(Route route, HttpServletRequest request) {
        Tracing.StartedRequest begun =
                tracing.begin(
                        request.getMethod() + " " + route.label(),
                        Optional.ofNullable(request.getHeader("traceparent")),
                        Optional.ofNullable(request.getHeader("tracestate")));
        begun.traceContext()
                .span()
                .ifPresent(
                        span ->
                                span.put("http.request.method", request.getMethod())
                                        .put("http.route", route.label()));
        return begun;
    }

    private static void recordResponse(
            OpenSpan span, RequestLog.Response response, RequestOutcome outcome) {
        span.put("http.response.status_code", response.status())
                .put("varve.request_id", response.requestId());
        outcome.finishReason()
                .filter(reason -> !reason.isEmpty())
                .ifPresent(reason -> span.put("gen_ai.response.finish_reasons", List.of(reason)));
        if (response.status() >= 500) {
            span.fail("status_" + response.status(), System.nanoTime());
        } else if (outcome.equals(RequestOutcome.DISCONNECTED)) {
            span.fail("disconnect", System.nanoTime());
        }
    }

    /** Returns the request id that was sent to the client. */
    static String idOf(HttpServletResponse response) {
        return Optional.ofNullable(response.getHeader(RequestId.HEADER)).orElse("");
    }

    private RequestOutcome outcome(
            Route route,
            HttpServletRequest request,
            HttpServletResponse response,
            RequestContext traceContext)
            throws IOException {
        ErrorForm form = route.errors(request);
        try {
            return reportFailures(
                    () -> answer(route, request, response, traceContext),
                    form,
                    request,
                    response,
                    traceContext);
        } catch (ClientGoneException e) {
            metrics.countDisconnect();
            return RequestOutcome.DISCONNECTED;
        }
    }

    /** Produces the response to a request. */
    private interface ResponseProducer {
        RequestOutcome produce() throws IOException, InterruptedException;
    }

    /** Produces a response, and reports a failure to the client. */
    private RequestOutcome reportFailures(
            ResponseProducer answer,
            ErrorForm form,
            HttpServletRequest request,
            HttpServletResponse response,
            RequestContext traceContext)
            throws IOException {
        ApiException error;
        try {
            return answer.produce();
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
        traceContext.progress().fail(error);
        Optional<PreResponseHeartbeats> stream =
                PreResponseHeartbeats.of(request).filter(PreResponseHeartbeats::hasBegun);
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
            RequestContext traceContext)
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
            throw ApiException.status(405, "", route.name(request) + " does not accept " + method);
        }
        return route.answer(new Exchange(request, response, admitted, traceContext));
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
            // Anthropic's clients read this header. Without it Claude Code retries for minutes
            // before it reports a wrong key.
            response.setHeader("x-should-retry", "false");
        }
        JsonResponse.write(response, error.status(), form.body(error, names, idOf(response)));
    }
}
