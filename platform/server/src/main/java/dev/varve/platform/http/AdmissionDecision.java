package dev.varve.platform.http;

import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.intake.RequestBody;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.server.Request;

import java.util.Optional;

/** Decision about a request, made before its route runs. */
sealed interface AdmissionDecision {
    /**
     * The request is admitted.
     *
     * @param body empty if the body was not read: the route accepts none, or no model was loaded
     *     yet
     */
    record Admitted(Caller caller, Optional<RequestBody> body) implements AdmissionDecision {}

    /**
     * The request is refused.
     *
     * @param endsConnection whether the connection must close, since the bytes after the request
     *     cannot be parsed
     */
    record Refused(ApiException reason, boolean endsConnection) implements AdmissionDecision {}

    /** The client disconnected. */
    record Gone() implements AdmissionDecision {}

    /** Attaches the decision to the request that the servlet receives. */
    default void attachTo(Request request) {
        request.setAttribute(AdmissionDecision.class.getName(), this);
    }

    static AdmissionDecision of(HttpServletRequest request) {
        return (AdmissionDecision) request.getAttribute(AdmissionDecision.class.getName());
    }
}
