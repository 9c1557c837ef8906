package dev.varve.platform.http;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.server.Request;

/** What is known of a request before anything reads what it says. */
sealed interface Admission {
    /**
     * It may be answered.
     *
     * @param body empty where the route takes none
     */
    record Admitted(Caller caller, byte[] body) implements Admission {}

    /**
     * It is refused.
     *
     * @param endsConnection whether nothing that follows on the connection can be understood
     */
    record Refused(ApiException reason, boolean endsConnection) implements Admission {}

    /** Its client went away. */
    record Gone() implements Admission {}

    /** Ties it to the request that the servlet gets. */
    default void attachTo(Request request) {
        request.setAttribute(Admission.class.getName(), this);
    }

    static Admission of(HttpServletRequest request) {
        return (Admission) request.getAttribute(Admission.class.getName());
    }
}
