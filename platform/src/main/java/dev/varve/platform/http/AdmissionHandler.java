package dev.varve.platform.http;

import dev.varve.platform.intake.BodyOutcome;
import dev.varve.platform.intake.Intake;
import dev.varve.platform.intake.IntakeException;

import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

import java.util.concurrent.Executor;
import java.util.function.Predicate;

/**
 * Decides from its headers whether a request gets in, and has its body read before anything of it
 * is handled: what waits for a client holds no thread.
 */
final class AdmissionHandler extends Handler.Wrapper {
    private final Intake intake;
    private final AccessControl access;
    private final Executor executor;
    private final Predicate<Request> readsBody;

    /** {@code readsBody}: whether the body of an admitted request will be wanted. */
    AdmissionHandler(
            Handler next,
            Intake intake,
            AccessControl access,
            Executor executor,
            Predicate<Request> readsBody) {
        super(next);
        this.intake = intake;
        this.access = access;
        this.executor = executor;
        this.readsBody = readsBody;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        intake.begin(request);
        Caller caller;
        try {
            if (!Routes.isProbe(Routes.path(request))) {
                intake.requireRoom(request);
            }
            caller = access.admit(request);
        } catch (IntakeException e) {
            return proceed(refused(e), request, response, callback);
        } catch (ApiException e) {
            return proceed(new Admission.Refused(e, false), request, response, callback);
        }
        if (!readsBody.test(request)) {
            Admission admitted = new Admission.Admitted(caller, new byte[0]);
            return proceed(admitted, request, response, callback);
        }
        intake.read(
                request,
                outcome ->
                        executor.execute(
                                () ->
                                        proceedLater(
                                                admission(caller, outcome),
                                                request,
                                                response,
                                                callback)));
        return true;
    }

    private static Admission admission(Caller caller, BodyOutcome outcome) {
        return switch (outcome) {
            case BodyOutcome.Complete(byte[] body) -> new Admission.Admitted(caller, body);
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
        } catch (Exception e) {
            Response.writeError(request, response, callback, e);
        }
    }

    private boolean proceed(
            Admission admission, Request request, Response response, Callback callback)
            throws Exception {
        admission.attachTo(request);
        return super.handle(request, response, callback);
    }
}
