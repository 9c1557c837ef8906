package dev.varve.platform.http;

import dev.varve.platform.http.trace.RequestContext;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.ee11.servlet.ServletContextRequest;

/**
 * An admitted request and its response.
 *
 * @param traceContext metadata of the request
 */
record Exchange(
        HttpServletRequest request,
        HttpServletResponse response,
        AdmissionDecision.Admitted admitted,
        RequestContext traceContext) {
    /**
     * Returns the owner of the request for fair sharing of the CPU: its key, or its connection if
     * the server needs no key.
     */
    Object owner() {
        String key = admitted.caller().owner();
        return key.isEmpty()
                ? ServletContextRequest.getServletContextRequest(request)
                        .getConnectionMetaData()
                        .getConnection()
                : key;
    }
}
