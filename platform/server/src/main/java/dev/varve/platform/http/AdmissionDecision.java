package dev.varve.platform.http;

import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.intake.RequestBody;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.server.Request;

import java.util.Optional;

/** What is known of a request before anything reads what it says. */
sealed interface AdmissionDecision {
    /**
     * It may be answered.
     *
     * @param body empty where it was not read: its route takes none, or there was no model yet
     */
    record Admitted(Caller caller, Optional<RequestBody> body) implements AdmissionDecision {}

    /**
     * It is refused.
     *
     * @param endsConnection whether nothing that follows on the connection can be understood
     */
    record Refused(ApiException reason, boolean endsConnection) implements AdmissionDecision {}

    /** Its client went away. */
    record Gone() implements AdmissionDecision {}

    /** Ties it to the request that the servlet gets. */
    default void attachTo(Request request) {
        request.setAttribute(AdmissionDecision.class.getName(), this);
    }

    static AdmissionDecision of(HttpServletRequest request) {
        return (AdmissionDecision) request.getAttribute(AdmissionDecision.class.getName());
    }
}
