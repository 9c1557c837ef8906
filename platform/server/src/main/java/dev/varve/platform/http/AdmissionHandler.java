package dev.varve.platform.http;

import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.intake.BodyOutcome;
import dev.varve.platform.intake.IngressException;
import dev.varve.platform.intake.RequestBody;
import dev.varve.platform.intake.RequestIngress;

import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Admits or refuses a request by its headers, and has its body read before the request is handled:
 * a request that waits for its client holds no thread.
 *
 * <p>Runs on the thread that reads from connections and never blocks it: each request is handled on
 * a thread of its own. Liveness probes have a few platform threads of their own, so that they wait
 * neither for thousands of other requests nor for their work.
 */
final class AdmissionHandler extends Handler.Wrapper {
    private final RequestIngress ingress;
    private final AccessControl access;
    private final Executor executor;
    private final Executor probes;
    private final Function<Request, Route> routes;

    /**
     * @param executor handles requests
     * @param probes handles liveness probes
     * @param routes finds the route of a request
     */
    AdmissionHandler(
            Handler next,
            RequestIngress ingress,
            AccessControl access,
            Executor executor,
            Executor probes,
            Function<Request, Route> routes) {
        super(next);
        this.ingress = ingress;
        this.access = access;
        this.executor = executor;
        this.probes = probes;
        this.routes = routes;
    }

    @Override
    public InvocationType getInvocationType() {
        return InvocationType.NON_BLOCKING;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
        ingress.begin(request);
        if (ingress.isInExcess(request)) {
            response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        }
        Route route = routes.apply(request);
        route.attachTo(request);
        Caller caller;
        try {
            if (!route.purpose().isProbe()) {
                ingress.requireMemory(request);
            }
            caller = access.admit(request, route.purpose());
        } catch (IngressException e) {
            return dispatch(refused(e), route, request, response, callback);
        } catch (ApiException e) {
            endIfBodyFollows(request, response);
            AdmissionDecision refused = new AdmissionDecision.Refused(e, false);
            return dispatch(refused, route, request, response, callback);
        }
        if (!isPlain(request.getHeaders().getCSV(HttpHeader.TRANSFER_ENCODING, false))) {
            ApiException unknown =
                    ApiException.status(
                            501,
                            "",
                            "Transfer-Encoding: expected chunked or no header, found another"
                                    + " coding");
            AdmissionDecision refused = new AdmissionDecision.Refused(unknown, true);
            return dispatch(refused, route, request, response, callback);
        }
        if (!route.readsBody(request.getMethod())) {
            endIfBodyFollows(request, response);
            AdmissionDecision admitted = new AdmissionDecision.Admitted(caller, Optional.empty());
            return dispatch(admitted, route, request, response, callback);
        }
        String coding = request.getHeaders().get(HttpHeader.CONTENT_ENCODING);
        if (coding != null && !coding.equalsIgnoreCase("identity")) {
            ApiException unknown =
                    ApiException.status(
                            415,
                            "",
                            "Content-Encoding: expected identity or no header; the server does not"
                                    + " decompress request bodies");
            AdmissionDecision refused = new AdmissionDecision.Refused(unknown, true);
            return dispatch(refused, route, request, response, callback);
        }
        ingress.read(
                request,
                outcome ->
                        dispatch(admission(caller, outcome), route, request, response, callback));
        return true;
    }

    /**
     * Hands the request to its executor. Always returns true: the request is handled, now or on
     * another thread.
     */
    private boolean dispatch(
            AdmissionDecision admission,
            Route route,
            Request request,
            Response response,
            Callback callback) {
        Executor threads = route.purpose() == RoutePurpose.LIVENESS ? probes : executor;
        try {
            threads.execute(() -> proceed(admission, request, response, callback));
        } catch (RuntimeException | Error e) {
            // No other code would complete the request.
            callback.failed(e);
        }
        return true;
    }

    /**
     * Returns whether the container decodes these codings: it decodes chunks, and leaves any other
     * coding undecoded without an error.
     */
    private static boolean isPlain(List<String> codings) {
        return codings.isEmpty()
                || codings.size() == 1 && codings.getFirst().equalsIgnoreCase("chunked");
    }

    /**
     * Closes the connection after a request whose body is not read: the bytes that follow are not a
     * request.
     */
    private static void endIfBodyFollows(Request request, Response response) {
        HttpFields headers = request.getHeaders();
        if (headers.getLongField(HttpHeader.CONTENT_LENGTH) > 0
                || headers.contains(HttpHeader.TRANSFER_ENCODING)) {
            response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        }
    }

    private static AdmissionDecision admission(Caller caller, BodyOutcome outcome) {
        return switch (outcome) {
            case BodyOutcome.Complete(RequestBody body) ->
                    new AdmissionDecision.Admitted(caller, Optional.of(body));
            case BodyOutcome.Refused(IngressException reason) -> refused(reason);
            case BodyOutcome.Disconnected gone -> new AdmissionDecision.Gone();
        };
    }

    private static AdmissionDecision refused(IngressException reason) {
        return new AdmissionDecision.Refused(ApiException.of(reason), true);
    }

    private void proceed(
            AdmissionDecision admission, Request request, Response response, Callback callback) {
        try {
            admission.attachTo(request);
            if (!super.handle(request, response, callback)) {
                Response.writeError(request, response, callback, 404);
            }
        } catch (Exception | Error e) {
            fail(e, request, response, callback);
        }
    }

    private static void fail(
            Throwable failure, Request request, Response response, Callback callback) {
        try {
            Response.writeError(request, response, callback, failure);
        } catch (RuntimeException | Error e) {
            failure.addSuppressed(e);
            callback.failed(failure);
        }
    }
}
