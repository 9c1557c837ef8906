package dev.varve.platform.http;

import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.intake.BodyOutcome;
import dev.varve.platform.intake.HeldBody;
import dev.varve.platform.intake.Intake;
import dev.varve.platform.intake.IntakeException;

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
 * Decides from its headers whether a request gets in, and has its body read before anything of it
 * is handled: what waits for a client holds no thread.
 */
final class AdmissionHandler extends Handler.Wrapper {
    private final Intake intake;
    private final AccessControl access;
    private final Executor executor;
    private final Function<Request, Route> routes;

    /** {@code routes}: gives the route of a request. */
    AdmissionHandler(
            Handler next,
            Intake intake,
            AccessControl access,
            Executor executor,
            Function<Request, Route> routes) {
        super(next);
        this.intake = intake;
        this.access = access;
        this.executor = executor;
        this.routes = routes;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        intake.begin(request);
        if (intake.isInExcess(request)) {
            response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        }
        Route route = routes.apply(request);
        route.attachTo(request);
        Caller caller;
        try {
            if (!route.purpose().isProbe()) {
                intake.requireRoom(request);
            }
            caller = access.admit(request, route.purpose());
        } catch (IntakeException e) {
            return proceed(refused(e), request, response, callback);
        } catch (ApiException e) {
            endIfBodyFollows(request, response);
            return proceed(new Admission.Refused(e, false), request, response, callback);
        }
        if (!isPlain(request.getHeaders().getCSV(HttpHeader.TRANSFER_ENCODING, false))) {
            ApiException unknown =
                    ApiException.status(
                            501, "", "Transfer-Encoding: expected chunked or none, found another");
            return proceed(new Admission.Refused(unknown, true), request, response, callback);
        }
        if (!route.readsBody(request.getMethod())) {
            endIfBodyFollows(request, response);
            Admission admitted = new Admission.Admitted(caller, Optional.empty());
            return proceed(admitted, request, response, callback);
        }
        String coding = request.getHeaders().get(HttpHeader.CONTENT_ENCODING);
        if (coding != null && !coding.equalsIgnoreCase("identity")) {
            ApiException unknown =
                    ApiException.status(
                            415,
                            "",
                            "Content-Encoding: expected none, since bodies are taken as they are");
            return proceed(new Admission.Refused(unknown, true), request, response, callback);
        }
        intake.read(
                request,
                outcome -> {
                    Admission admission = admission(caller, outcome);
                    try {
                        executor.execute(
                                () -> proceedLater(admission, request, response, callback));
                    } catch (RuntimeException | Error e) {
                        // Nobody else would end the request.
                        callback.failed(e);
                    }
                });
        return true;
    }

    /** The container undoes chunks and leaves any other coding as it is, without a word. */
    private static boolean isPlain(List<String> codings) {
        return codings.isEmpty()
                || codings.size() == 1 && codings.getFirst().equalsIgnoreCase("chunked");
    }

    /** What follows a body that nobody reads is no request, so clients must not send one. */
    private static void endIfBodyFollows(Request request, Response response) {
        HttpFields headers = request.getHeaders();
        if (headers.getLongField(HttpHeader.CONTENT_LENGTH) > 0
                || headers.contains(HttpHeader.TRANSFER_ENCODING)) {
            response.getHeaders().put(HttpFields.CONNECTION_CLOSE);
        }
    }

    private static Admission admission(Caller caller, BodyOutcome outcome) {
        return switch (outcome) {
            case BodyOutcome.Complete(HeldBody body) ->
                    new Admission.Admitted(caller, Optional.of(body));
            case BodyOutcome.Refused(IntakeException reason) -> refused(reason);
            case BodyOutcome.Gone gone -> new Admission.Gone();
        };
    }

    private static Admission refused(IntakeException reason) {
        return new Admission.Refused(ApiException.of(reason), true);
    }

    private void proceedLater(
            Admission admission, Request request, Response response, Callback callback) {
        try {
            if (!proceed(admission, request, response, callback)) {
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

    private boolean proceed(
            Admission admission, Request request, Response response, Callback callback)
            throws Exception {
        admission.attachTo(request);
        return super.handle(request, response, callback);
    }
}
